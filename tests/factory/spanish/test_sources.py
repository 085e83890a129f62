"""The Spanish corpora as rows: which labels become which soft targets, and who is held out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("torch")

from factory.english.sources import Row
from factory.spanish.sources import HARMS, OUTPUTS, ROOT, SHIPPED, SOURCES, group_part, read_sources

from factory.spanish import sources


def rows_of(name: str, path: Path) -> list[Row]:
    return list(next(each for each in SOURCES if each.name == name).read(path))


def written(folder: Path, columns: Mapping[str, Sequence[object]]) -> Path:
    path = folder / "corpus.csv"
    pl.DataFrame(columns).write_csv(path)
    return path


def test_every_output_has_one_name() -> None:
    assert len(set(OUTPUTS)) == len(OUTPUTS)
    assert {"stereotype", "stereotype.implicit", "toxicity.threat", "unhealthy"} <= set(SHIPPED)
    assert "pcl" in set(OUTPUTS) - set(SHIPPED)


def test_counts_of_labellers_are_soft_labels(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "text": ["uno", "dos", "tres", "cuatro"],
            "racist": [8, 1, 0, 0],
            "non-racist": [0, 0, 3, 0],
            "unknown": [0, 0, 0, 2],
        },
    )
    shares = [row.targets["datathon.racist"] for row in rows_of("datathon", path)]
    assert len(shares) == 3  # nobody decided about the fourth
    assert shares[0] > shares[1] > 0.5 > shares[2] > 0


def test_titles_are_held_out_whole(tmp_path: Path) -> None:
    flags = ("CALLS", "WOMEN", "LGBTI", "CLASS", "POLITICS", "DISABLED", "APPEARANCE", "CRIMINAL")
    number = 200
    path = written(
        tmp_path,
        {
            "title": [f"Título {at // 4}" for at in range(number)],
            "text": [f"comentario {at}" for at in range(number)],
            "HATEFUL": [int(at % 4 > 1) for at in range(number)],
            "RACISM": [int(at % 4 == 2) for at in range(number)],
            **{name: [0] * number for name in flags},
        },
    )
    rows = rows_of("rioplatense", path)
    parts: dict[int, set[str]] = {}
    for at, row in enumerate(rows):
        parts.setdefault(at // 4, set()).add(row.part)
    assert all(len(each) == 1 for each in parts.values())
    assert {part for each in parts.values() for part in each} == {"train", "validation"}
    quiet, racist, other = rows[0].targets, rows[2].targets, rows[3].targets
    assert quiet[ROOT] < 0.5 < racist[ROOT]
    assert ROOT not in other  # hateful for another reason: nobody said whether it stereotypes
    assert other["toxicity"] > 0.5 > other["toxicity.identity_attack"]


def test_only_spanish_posts_of_exist_are_read(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "language": ["es", "en", "es"],
            "text": ["uno", "two", "tres"],
            "task1": ["sexist", "sexist", "non-sexist"],
            "task2": ["stereotyping-dominance", "objectification", "non-sexist"],
        },
    )
    rows = rows_of("exist", path)
    assert [row.text for row in rows] == ["uno", "tres"]
    assert rows[0].targets[ROOT] > 0.5 > rows[1].targets[ROOT]


def test_tweets_in_a_dispute_are_no_ordinary_prose(tmp_path: Path) -> None:
    columns = {"text": ["Abre el lunes.", "Un tuit."], "source": ["ted", "catalonia_tweets"]}
    rows = rows_of("prose", written(tmp_path, columns))
    assert [row.text for row in rows] == ["Abre el lunes."]
    assert set(rows[0].targets) == set(HARMS)
    assert max(rows[0].targets.values()) < 0.05


def test_no_held_out_text_teaches_in_another_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    def source(name: str, *rows: Row) -> sources.Source:
        return sources.Source(name, name, lambda _: iter(rows), "CC0", name)

    held = Row("El mismo texto.", "one", {ROOT: 1.0}, fixed_part="validation")
    again = Row("el mismo TEXTO", "two", {"toxicity": 0.0}, fixed_part="train")
    other = Row("Otro texto.", "two", {"toxicity": 0.0}, fixed_part="train")
    twice = Row("Otro texto.", "two", {"unhealthy": 1.0}, fixed_part="train")
    monkeypatch.setattr(
        sources, "SOURCES", (source("one", held), source("two", again, other, twice))
    )
    found = read_sources(Path())
    assert found["one"] == [held]
    assert [row.targets for row in found["two"]] == [{"toxicity": 0.0, "unhealthy": 1.0}]


def test_groups_keep_their_part() -> None:
    parts = [group_part(f"speech {at}") for at in range(400)]
    assert parts == [group_part(f"speech {at}") for at in range(400)]
    assert 0.06 < parts.count("validation") / len(parts) < 0.18
