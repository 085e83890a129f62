"""The web pages of a project, for annotators and for the owner.

The server renders everything, with plain JavaScript modules on top; nothing is loaded from other
servers. :func:`tactful.annotation.web.app.create_app` creates the app.
"""
