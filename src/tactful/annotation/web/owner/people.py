"""The owner's page for people: invitations, figures, removal."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.state.project_state import Person
from tactful.annotation.state.roles import ROLES, may_manage
from tactful.annotation.web import charts
from tactful.annotation.web.owner.site import Form, OwnerPages, OwnerSite, back, download, now, one
from tactful.annotation.web.pages import join_link
from tactful.annotation.web.session import Session
from tactful.errors import TactfulError

MOST_DAYS = 60
"""Maximum number of rows in the table of exposure; the file has all."""
MOST_LINES = 80
"""Maximum number of lines in the trust chart."""
_LONGEST_NAME = 80


def routes(site: OwnerSite) -> list[Route]:
    """Return the routes of the page of people."""
    pages = _Pages(site)
    return [
        Route("/owner/people", site.page(pages.people, "people"), methods=["GET"]),
        Route("/owner/people", site.action(pages.change, "people"), methods=["POST"]),
        Route("/owner/people.csv", site.page(pages.file, "export")),
        Route("/owner/exposure.csv", site.page(pages.exposure_file, "export")),
    ]


class _Pages(OwnerPages):
    def change(self, request: Request, session: Session, form: Form) -> Response:
        """Change one person, or invite somebody."""
        try:
            if one(form, "action") == "invite":
                return self._invite(request, session, form)
            return self._one_person(session, form)
        except TactfulError as error:
            return self.people(request, session, problem=str(error), status=409)

    def file(self, request: Request, session: Session) -> Response:
        burdens = {each.person: each for each in self._figures.burdens()}
        flags = self._figures.flags()
        fields = ("id", "name", "role", "status", "trust", "right", "tests", "answered", "skipped")
        rows = [
            (
                *(getattr(person, name) for name in fields),
                burdens[person.id].capped_days if person.id in burdens else None,
                person.seconds,
                "; ".join(f"{each.kind}: {each.why}" for each in flags.get(person.id, ())),
            )
            for person in self._all()
        ]
        header = ("person", *fields[1:], "days at the cap", "seconds of work", "flags")
        return download("people.csv", header, rows)

    def exposure_file(self, request: Request, session: Session) -> Response:
        rows = [
            (each.day, each.person, each.name, each.items, each.harmful, f"{each.minutes:.1f}")
            for each in self._figures.exposures()
        ]
        header = ("day", "person", "name", "texts", "harmful", "minutes")
        return download("exposure.csv", header, rows)

    def _invite(self, request: Request, session: Session, form: Form) -> Response:
        role, name = one(form, "role"), one(form, "name")
        if role not in ROLES:
            raise HTTPException(400, f"There is no role '{role}'; choose one of the list.")
        if not may_manage(session.person.role, role):
            raise HTTPException(403, f"You can invite annotators only, not a person as {role}.")
        if not name or len(name) > _LONGEST_NAME:
            problem = f"Give the person a name of 1 to {_LONGEST_NAME} characters."
            return self.people(request, session, problem=problem, status=400)
        invitation = self._project.invite(role, name)
        link = join_link(request, invitation.token)
        # In the response itself: the token is not stored, not even in a URL.
        return self.people(request, session, link=link, invited=name)

    def _one_person(self, session: Session, form: Form) -> Response:
        project, who = self._project, one(form, "person")
        with project.lock:
            person = project.state.people.get(who)
        if person is None:
            raise HTTPException(404)
        if not may_manage(session.person.role, person.role):
            raise HTTPException(
                403, f"You can change annotators only; {person.name} is {person.role}."
            )
        reason = one(form, "reason")[:500]
        match one(form, "action"):
            case "revoke":
                if person.id == session.person.id:
                    raise HTTPException(400, "You cannot revoke your own invitation.")
                project.revoke(who)
                said = f"The invitation of {person.name} no longer works."
            case "remove":
                project.remove(who, reason)
                said = f"The judgements of {person.name} no longer count."
            case "readmit":
                project.readmit(who, reason)
                said = f"The judgements of {person.name} count again."
            case other:
                raise HTTPException(400, f"There is no action '{other}'.")
        return back("/owner/people", said)

    def people(
        self,
        request: Request,
        session: Session,
        *,
        link: str | None = None,
        invited: str = "",
        problem: str = "",
        status: int = 200,
    ) -> Response:
        tested = sorted(self._figures.tested(), key=lambda person: person.history[-1][1])
        with self._project.lock:
            quality = self._project.state.protocol.quality
            care = self._project.state.protocol.wellbeing
        return self._show(
            request,
            session,
            "owner_people.html",
            status=status,
            people=self._all(),
            burdens={each.person: each for each in self._figures.burdens()},
            flags=self._figures.flags(),
            warnings=self._figures.pool_warnings(),
            chart=charts.trust_chart(
                tested[:MOST_LINES], quality.least_trust, "Trust of each annotator, test by test"
            ),
            lines=len(tested),
            most_lines=MOST_LINES,
            quality=quality,
            care=care,
            tests=self._figures.tests(),
            exposures=self._figures.exposures(),
            most_days=MOST_DAYS,
            roles=[role for role in ROLES if may_manage(session.person.role, role)],
            link=link,
            invited=invited,
            problem=problem,
            at=now(),
        )

    def _all(self) -> list[Person]:
        with self._project.lock:
            return sorted(
                self._project.state.people.values(),
                key=lambda person: (ROLES.index(person.role), person.name.casefold()),
            )
