"""``python -m tactful`` is the same as ``tactful``."""

from tactful.cli.main import main

main()
