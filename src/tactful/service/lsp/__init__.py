"""Tactful in the editor: a language server that marks passages while they are written."""
