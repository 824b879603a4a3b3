"""Stage 1: the exact neighbors of every sample, whatever the samples are."""
