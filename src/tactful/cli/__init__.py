"""The command line: ``x_cli()`` parses, ``x()`` works."""
