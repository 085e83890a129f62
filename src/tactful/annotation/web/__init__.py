"""The pages of a project: those of its annotators, and those of its owner.

Everything is rendered by the server, with plain JavaScript modules on top; nothing is fetched from
elsewhere. :func:`tactful.annotation.web.app.create_app` puts it together.
"""
