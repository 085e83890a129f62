"""What people of each role may do; the only place that pages, the API and the project ask."""

from collections.abc import Mapping
from typing import Literal, get_args

from tactful.annotation.protocol.records import Role, StepRole

Right = Literal[
    "work", "decide", "figures", "labels", "items", "people", "invite", "import", "tests",
    "settings", "export", "log",
]  # fmt: skip
"""The rights:

``work``
    judge the items of the steps of one's role.
``decide``
    see disputed items, and decide them.
``figures``
    see the progress and the agreement.
``labels``
    export labels, without anything about people.
``items``
    search the items, and see their answers and the hidden tests.
``people``
    see the people with their work, revoke and remove annotators, and readmit them.
``invite``
    invite annotators; with ``settings``, people of every role.
``import``
    add texts, hidden tests and judgements.
``tests``
    change the right answers of hidden tests.
``settings``
    change settings, and assign work.
``export``
    export everything, with who judged what.
``log``
    read the log.
"""

ROLES: tuple[Role, ...] = get_args(Role)
RIGHTS: Mapping[Role, frozenset[Right]] = {
    "annotator": frozenset(("work",)),
    "referee": frozenset(("work", "decide")),
    "lead": frozenset(("work", "decide", "figures", "labels", "items", "people", "invite")),
    "reader": frozenset(("figures", "labels")),
    "owner": frozenset(get_args(Right)),
}
_STEPS: Mapping[Role, tuple[StepRole, ...]] = {
    "annotator": ("annotator",),
    "referee": ("referee",),
    "lead": ("referee",),
    "reader": (),
    "owner": get_args(StepRole),
}


def may(role: Role, right: Right) -> bool:
    """Say whether people of a role have a right."""
    return right in RIGHTS[role]


def works_on(role: Role, step: StepRole) -> bool:
    """Say whether people of a role judge the items of a step for that role."""
    return step in _STEPS[role]


def may_manage(role: Role, other: Role) -> bool:
    """Say whether people of a role may invite, remove and revoke people of another one."""
    return may(role, "settings") or (may(role, "invite") and other == "annotator")
