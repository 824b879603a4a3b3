"""Stage 2: radii, parents, the tree of modes, and cuts of it."""
