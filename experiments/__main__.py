"""``python -m experiments all --data DIR``: the paper, reproduced."""

from .paper.commandline import main

if __name__ == "__main__":
    main(prog_name="python -m experiments")
