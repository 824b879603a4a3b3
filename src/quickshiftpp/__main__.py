"""The command ``quickshiftpp``, also as ``python -m quickshiftpp``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, or say what is missing for it."""
    try:
        from .cli import main as run
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "quickshiftpp":
            raise
        print(
            f"quickshiftpp: the command line needs {missing}, which is not installed: "
            "pip install 'quickshiftpp[all]'",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    run()


if __name__ == "__main__":
    main()
