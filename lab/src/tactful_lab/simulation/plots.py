"""Plots of a simulation (extra ``plot``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.figures import COLOURS, FAINT, INK, figure_file, or_gap, set_title
from tactful_lab.simulation.annotators import SPAM, Annotator
from tactful_lab.simulation.report import Simulation
from tactful_lab.simulation.run import DAY, START, Record, Setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILES = ("accuracy-cost.svg", "trust.svg", "removals.svg")
_NAMES = {
    "careful": "reads",
    "random": "spams: anything",
    "constant": "spams: one answer",
    "first": "spams: first option",
}
_MOST_LINES = 60
"""Maximum number of trust lines per kind of people."""
_SIZE = (6.4, 4.0)


def write_plots(
    folder: Path, answer: Simulation, setting: Setting, record: Record, force: bool = False
) -> list[Path]:
    """Plot quality by cost, trust over time, and removals over time."""
    paths = [folder / name for name in FILES]
    with figure_file(paths[0], _SIZE, force) as figure:
        draw_cost(figure.add_subplot(), answer)
    with figure_file(paths[1], _SIZE, force) as figure:
        draw_trust(figure.add_subplot(), setting, record)
    with figure_file(paths[2], _SIZE, force) as figure:
        draw_removals(figure.add_subplot(), setting.people, record)
    return paths


def draw_cost(axes: "Axes", answer: Simulation) -> None:
    """Plot quality by cost, with plain majorities."""
    money = answer.price is not None
    unit = answer.price if answer.price is not None else 1.0
    axes.plot(
        [point.judgements * unit for point in answer.curve],
        [or_gap(point.f1) for point in answer.curve],
        color=FAINT,
        marker="o",
        label="plain majority",
    )
    for point in answer.curve:
        if point.f1 is not None:
            axes.annotate(
                "1 vote" if point.votes == 1 else f"{point.votes} votes",
                (point.judgements * unit, point.f1),
                (7, -10),
                textcoords="offset points",
                color=INK,
            )
    cost = answer.judgements * unit
    for of, marker, colour, label in (
        ("equal_cost", "s", COLOURS[1], "plain majority, equal cost"),
        ("protocol", "D", COLOURS[0], f"protocol '{answer.protocol}'"),
    ):
        axes.plot([cost], [or_gap(answer.mean("f1", of))], marker, color=colour, label=label)
    axes.set_xlim(left=0)
    axes.set_xlabel("cost" if money else "judgements paid for")
    axes.set_ylabel("F1, mean of the questions")
    axes.legend(frameon=False, loc="lower right")
    set_title(axes, "Quality of labels by cost")


def draw_trust(axes: "Axes", setting: Setting, record: Record) -> None:
    """Plot each person's trust after each test, by kind."""
    for place, kind in enumerate(("careful", *SPAM)):
        histories = [
            history
            for person in setting.people
            if person.kind == kind and person.role == "annotator"
            if (history := record.state.people[person.id].history)
        ]
        for number, history in enumerate(histories[:_MOST_LINES]):
            axes.plot(
                range(1, len(history) + 1),
                [trust for _, trust in history],
                color=COLOURS[place],
                alpha=0.35 if kind == "careful" else 0.9,
                linewidth=0.8,
                # Spammers are few: draw them on top.
                zorder=2 + place,
            )
            if number == 0:
                axes.plot([], [], color=COLOURS[place], label=_NAMES[kind])
    least = setting.protocol.quality.least_trust
    if least is not None:
        axes.axhline(least, color=INK, linewidth=0.8, linestyle=":")
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("hidden tests answered")
    axes.set_ylabel("trust")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, loc="lower right")
    set_title(axes, "Trust by kind of annotator")


def draw_removals(axes: "Axes", people: Sequence[Annotator], record: Record) -> None:
    """Plot the share of each kind that was not removed, over time."""
    last = max((record.ended - START) / DAY, 1e-9)
    for place, kind in enumerate(("careful", *SPAM)):
        group = {person.id for person in people if person.kind == kind and person.role != "referee"}
        if not group:
            continue
        times = sorted(
            (removal.at - START) / DAY for removal in record.removals if removal.annotator in group
        )
        days = [0.0, *times, last]
        stay = [1 - count / len(group) for count in range(len(times) + 1)]
        axes.step(
            days,
            [*stay, stay[-1]],
            where="post",
            color=COLOURS[place],
            label=f"{_NAMES[kind]} ({len(group)})",
        )
    axes.set_ylim(-0.02, 1.05)
    axes.set_xlim(left=0)
    axes.set_xlabel("days since the project began")
    axes.set_ylabel("share not removed")
    axes.legend(frameon=False)
    set_title(axes, "Removals over time")
