"""Who is asking: the token of an invitation, signed, in a cookie.

Nothing is kept about sessions: a request is let in for as long as its invitation is good, so that
to revoke an invitation ends every session of it at once.
"""

import hmac
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tactful.annotation.project.project import Project
from tactful.annotation.state.project_state import Person

COOKIE_DAYS = 30
_NO_SESSION = "This page needs your personal link; open the link of your invitation once more."


@dataclass(frozen=True, slots=True)
class Session:
    """A person who came in by an invitation."""

    person: Person
    token: str
    csrf: str
    """What each form and each request that changes something must carry."""
    shelf: str
    """The name of the project in what a browser stores: another one may be served at the same
    address, and number its people alike."""


def start_session(project: Project, token: str) -> Session | None:
    """Return the session of an invitation; None where it is unknown or revoked."""
    person = project.who(token)
    if person is None or person.status == "revoked":
        return None
    return Session(person, token, sign(project, "csrf", token), sign(project, "shelf", "")[:16])


def session_of(project: Project, request: Request) -> Session | None:
    """Return the session of a request; None where there is none."""
    token, _, signature = request.cookies.get(cookie_name(project), "").rpartition(".")
    expected = sign(project, "session", token)
    if not token or not hmac.compare_digest(signature.encode(), expected.encode()):
        return None
    return start_session(project, token)


def need_session(project: Project, request: Request, *roles: str) -> Session:
    """Return the session of a request, or refuse it (401; 403 where the role is another)."""
    session = session_of(project, request)
    if session is None:
        raise HTTPException(401, _NO_SESSION)
    if roles and session.person.role not in roles:
        raise HTTPException(403, f"This page is for the {' or '.join(roles)} of the project.")
    return session


def set_cookie(project: Project, request: Request, response: Response, session: Session) -> None:
    """Let the browser keep a session."""
    response.set_cookie(
        cookie_name(project),
        f"{session.token}.{sign(project, 'session', session.token)}",
        max_age=COOKIE_DAYS * 24 * 3600,
        path="/",
        secure=request.app.state.secure,
        httponly=True,
        samesite="lax",
    )


def cookie_name(project: Project) -> str:
    """Return the name of the cookie; cookies ignore ports, so that each project has its own."""
    return f"tactful-{sign(project, 'cookie', project.name)[:12]}"


def sign(project: Project, purpose: str, text: str) -> str:
    """Return the HMAC of a text with the secret of the project; each purpose has its own."""
    message = f"web:{purpose}:{text}".encode()
    return hmac.digest(project.secret, message, "sha256").hex()
