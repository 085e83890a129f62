"""The lab's commands: ``x_cli()`` parses, ``x()`` works."""
