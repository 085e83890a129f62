"""Sessions: the signed token of an invitation in a cookie.

Sessions are not stored: a request is accepted as long as its invitation is valid, so revoking an
invitation ends all its sessions immediately.
"""

import hmac
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tactful.annotation.project.project import Project
from tactful.annotation.state.project_state import Person

COOKIE_DAYS = 30
BAD_LINK = "This invitation is unknown or was revoked; ask the owner of the project for a new one."
NO_SESSION = "This page needs your personal link; open the link in your invitation again."


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in person."""

    person: Person
    token: str
    csrf: str
    """Token that each changing request must carry."""
    shelf: str
    """The name of the project in the browser's storage: another project may be served at the same
    address, with the same ids of people."""


def start_session(project: Project, token: str) -> Session | None:
    """Return the session of an invitation; None if it is unknown or revoked."""
    person = project.who(token)
    if person is None or person.status == "revoked":
        return None
    return Session(person, token, sign(project, "csrf", token), sign(project, "shelf", "")[:16])


def session_of(project: Project, request: Request) -> Session | None:
    """Return the session of a request; None if there is none."""
    token, _, signature = request.cookies.get(cookie_name(project), "").rpartition(".")
    expected = sign(project, "session", token)
    if not token or not hmac.compare_digest(signature.encode(), expected.encode()):
        return None
    return start_session(project, token)


def must_consent(project: Project, session: Session) -> bool:
    """Say whether somebody has to read the first page and agree to it before anything else."""
    if session.person.consented is not None:
        return False
    return bool(project.wellbeing.consent.strip() or project.protocol.traits)


def need_session(project: Project, request: Request) -> Session:
    """Return the session of a request, or refuse the request (401)."""
    session = session_of(project, request)
    if session is None:
        raise HTTPException(401, NO_SESSION)
    return session


def set_cookie(project: Project, request: Request, response: Response, session: Session) -> None:
    """Store a session in a cookie."""
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
    """Return the name of the cookie; each project has its own, because cookies ignore ports."""
    return f"tactful-{sign(project, 'cookie', project.name)[:12]}"


def sign(project: Project, purpose: str, text: str) -> str:
    """Return the HMAC of a text with the secret of the project; each purpose has its own."""
    message = f"web:{purpose}:{text}".encode()
    return hmac.digest(project.secret, message, "sha256").hex()
