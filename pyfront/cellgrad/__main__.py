"""``python -m cellgrad``: the command ``cellgrad``."""

import sys

from cellgrad.command import main

if __name__ == "__main__":
    sys.exit(main())
