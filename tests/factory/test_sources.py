"""The sources of the English models, on small files in the authors' own formats."""

from pathlib import Path

import pytest
from factory.english.sources import OUTPUTS, SOURCES, Row, provenance, read_sources, sources_of
from factory.lessons.load import FOLDER, read_lessons

from tactful.errors import UsageError

UCC_HEAD = (
    "_unit_id,_trusted_judgments,comment,antagonize,antagonize:confidence,condescending,"
    "condescending:confidence,dismissive,dismissive:confidence,generalisation,"
    "generalisation:confidence,generalisation_unfair,generalisation_unfair:confidence,healthy,"
    "healthy:confidence,hostile,hostile:confidence,sarcastic,sarcastic:confidence\n"
)


def source(name: str, path: Path) -> list[Row]:
    return list(next(each for each in SOURCES if each.name == name).read(path))


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_confidences_belong_to_the_label_that_won(tmp_path: Path) -> None:
    # Unhealthy Conversations, section 3: the confidence is the trust-weighted share of the answer.
    cells = "1,3,You never listen.,1,0.8,0,0.9,0,1.0,0,1.0,0,1.0,0,0.7,0,0.6,1,0.75\n"
    for name in ("train.csv", "val.csv"):
        written(tmp_path, name, UCC_HEAD + (cells if name == "train.csv" else ""))
    (row,) = source("ucc", tmp_path)
    assert row.targets["unhealthy"] == pytest.approx(0.7)
    assert row.targets["unhealthy.antagonistic"] == pytest.approx(0.8)
    assert row.targets["unhealthy.condescending"] == pytest.approx(0.1)
    assert row.targets["unhealthy.sarcastic"] == pytest.approx(0.75)


def test_paragraphs_keep_the_five_points_and_their_spans(tmp_path: Path) -> None:
    # Don't Patronize Me!, section 4.1: labels 2 to 4 count as patronizing.
    text = "Give them a smile and their lives will change."
    written(tmp_path, "dontpatronizeme_pcl.tsv", f"notice\n1\t@@1\thomeless\tgb\t{text}\t3\n")
    written(
        tmp_path,
        "dontpatronizeme_categories.tsv",
        f"notice\n1\t@@1\t{text}\thomeless\tgb\t0\t17\tGive them a smile\tShallow_solution\t2\n",
    )
    (row,) = source("dpm", tmp_path)
    assert row.targets["pcl"] == 0.85
    assert row.targets["pcl.shallow_solution"] == 1.0
    assert row.targets["pcl.compassion"] == 0.0
    assert row.marks == {"pcl": ((0, 17),)}


def test_only_the_sentence_with_the_span_is_patronizing(tmp_path: Path) -> None:
    text = "The shelter opened in May. Give them a smile and their lives will change."
    written(tmp_path, "dontpatronizeme_pcl.tsv", f"notice\n1\t@@1\thomeless\tgb\t{text}\t3\n")
    written(
        tmp_path,
        "dontpatronizeme_categories.tsv",
        f"notice\n1\t@@1\t{text}\thomeless\tgb\t27\t44\tGive them a smile\tShallow_solution\t2\n",
    )
    plain, marked = source("dpm_sentences", tmp_path)
    assert plain.targets["pcl"] < 0.5 < marked.targets["pcl"]
    assert marked.targets["pcl.shallow_solution"] > 0.5 > marked.targets["pcl.compassion"]
    assert (plain.marks, marked.marks) == ({"pcl": ()}, {"pcl": ((0, 17),)})
    assert plain.part == marked.part == Row(text, "dpm", {}).part


def test_only_the_sentence_with_the_words_is_toxic(tmp_path: Path) -> None:
    text = "You silly old fool. I was there on Monday myself."
    path = written(tmp_path, "s.csv", f'text,spans,split\n{text},"[4,5,6,7,8]",train\n')
    loud, quiet = source("toxic_sentences", path)
    assert quiet.targets["toxicity"] < 0.5 < loud.targets["toxicity"]
    assert (loud.marks, quiet.marks) == ({"toxicity": ((4, 9),)}, {"toxicity": ()})


def test_a_lesson_between_news_keeps_its_labels_and_its_place(tmp_path: Path) -> None:
    path = written(
        tmp_path, "news.csv", "text,source\nThe council met on Tuesday evening in town.,ours\n"
    )
    rows = source("paragraphs", path)
    lessons = {lesson.text: lesson for lesson in read_lessons()}
    assert len(rows) > 3000
    for row in rows:
        for places in row.marks.values():
            for start, end in places:
                lesson = lessons[row.text[start:end]]
                assert (dict(row.targets), row.part) == (lesson.labels, lesson.part)
        assert "The council met on Tuesday evening in town." in row.text


def test_blank_cells_are_not_labels(tmp_path: Path) -> None:
    head = "text,toxic,severe_toxicity,identity_attack,insult,obscene,threat,sexually_explicit\n"
    path = written(tmp_path, "civil.csv", head + "See you tomorrow.,,,,,,0,\nGo away.,,,,1,,,\n")
    quiet, loud = source("civil", path)
    assert quiet.targets == {"toxicity.threat": 0.0}
    assert loud.targets == {"toxicity.insult": 1.0, "toxicity": 0.9}


def test_offsets_become_places(tmp_path: Path) -> None:
    path = written(
        tmp_path, "s.csv", 'text,spans,split\nsilly old fool,"[0,1,2,3,4,10,11]",train\n'
    )
    (row,) = source("toxic_spans", path)
    assert row.marks == {"toxicity": ((0, 5), (10, 12))}


def test_a_text_has_one_part_whatever_its_corpus_and_spelling() -> None:
    parts = {Row(f"Comment number {n}.", "ucc", {}).part for n in range(200)}
    assert parts == {"train", "validation"}
    for n in range(200):
        one, other = Row(f"Comment number {n}.", "ucc", {}), Row(f"comment NUMBER {n}", "civil", {})
        assert one.part == other.part


def test_lessons_keep_the_part_of_their_prompt_and_their_marks() -> None:
    rows = source("lessons", FOLDER / "english")
    lessons = read_lessons()
    assert [row.part for row in rows] == [lesson.part for lesson in lessons]
    assert {name for row in rows for name in row.targets} <= set(OUTPUTS)
    marked = [(row, lesson) for row, lesson in zip(rows, lessons, strict=True) if lesson.marks]
    for row, lesson in marked:
        for places in row.marks.values():
            assert not places or {row.text[a:b] for a, b in places} == set(lesson.marks)


def test_a_small_corpus_with_a_large_share_is_seen_again() -> None:
    pytest.importorskip("torch")
    from factory.english.train import Sampler

    rows = [Row(f"Text {n}.", "lessons", {"toxicity": 0.0}) for n in range(4000)]
    dealt = Sampler(rows, "open", 1)(0)
    assert len(dealt) == 14_000
    assert set(dealt) == set(range(4000))


def test_provenance_hashes_folders_and_files(tmp_path: Path) -> None:
    for each in sources_of("open"):
        path = tmp_path / each.file
        if path.is_relative_to(tmp_path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("text\n", encoding="utf-8")
    about = provenance(tmp_path, "open", {each.name: [] for each in sources_of("open")})
    assert all(len(str(each["sha256"])) == 64 for each in about)


def test_the_open_tier_has_no_research_corpus() -> None:
    names = {each.name for each in sources_of("open")}
    assert names.isdisjoint({"ucc", "dpm", "talkdown", "politeness", "figlang", "ishate", "wiki"})
    assert {"civil", "edos", "sbic"} <= names
    with pytest.raises(UsageError, match="expected 'open' or 'research'"):
        sources_of("closed")


@pytest.mark.data
@pytest.mark.slow
def test_every_target_is_a_known_output(
    data_folder: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    novel = [("The captain put down his glass and left the room.", "train")]
    monkeypatch.setattr("factory.english.sources.fiction", lambda _: novel)
    data = data_folder("ucc").parent  # type: ignore[operator]
    for name, rows in read_sources(data, "research").items():
        assert rows, name
        assert {key for row in rows for key in row.targets} <= set(OUTPUTS), name
        assert all(0 <= value <= 1 for row in rows for value in row.targets.values()), name
