"""HTML pages that need nothing but themselves, and SVG charts in them.

:mod:`~tactful.pages.text` escapes words and writes numbers, :mod:`~tactful.pages.markup` has
sections and tables, :mod:`~tactful.pages.frame` puts a page together and
:mod:`~tactful.pages.svg` draws.
"""
