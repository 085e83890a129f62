"""What the annotators of a corpus said, as answers to a protocol's questions."""

from typing import Any

from tactful.annotation.answers.corpus import CorpusAnswers
from tactful.annotation.protocol.load import load_protocol
from tactful.corpora import load_corpus
from tactful.types import Example, Judgement


def said(who: str, question: str, label: str | None, row: int | None = None) -> Judgement:
    number = None
    if label is not None and label.replace(".", "", 1).isdecimal():
        number = float(label)
    return Judgement(who, question, label, number, row=row)


def read(protocol: str, *judgements: Judgement, **more: Any) -> tuple[dict[Any, Any], list[str]]:
    answers = CorpusAnswers(load_protocol(protocol))
    example = Example("1", "A text.", "ours", "en", "1", judgements=judgements, **more)
    found = {(each.annotator, each.step): each.answers for each in answers.of(example)}
    return found, [str(loss) for loss in answers.losses()]


def test_frames_keep_group_and_statement_together() -> None:
    """A worker's rows are triples of post, group and statement (Sap et al. 2020, section 3.2)."""
    found, lost = read(
        "frames",
        said("w", "frame.offensive", "0.5"),
        said("w", "frame.intent", "0.66"),
        said("w", "frame.group", "1.0"),
        said("w", "frame.target_group", "women", 0),
        said("w", "frame.implied_statement", "women are late", 0),
        said("w", "frame.target_group", "bakers of Ghent", 1),
        said("w", "frame.implied_statement", "bakers sleep", 1),
        said("w", "frame.target_group", "women", 2),
        said("w", "frame.implied_statement", "women are early", 2),
        said("w", "frame.implied_statement", "somebody is something", 3),
        said("w", "sbic.hit", "77"),
        traits={"w": {"age": "30"}},
    )
    assert found == {
        ("w", "frame"): {
            "frame.offensive": "maybe",
            "frame.intent": "probably",
            "frame.group": "yes",
            "frame.target_group": ["women", "bakers of Ghent"],
            "frame.implied_statement": {
                "women": ["women are late", "women are early"],
                "bakers of Ghent": ["bakers sleep"],
            },
        }
    }
    assert lost == [
        "answers to 'sbic.hit': 1 (the protocol does not ask it)",
        "answers to 'frame.implied_statement': 1 (it is unclear which answer they belong to)",
        "people's traits: 1 (people state their traits themselves when they consent)",
    ]


def test_what_does_not_fit_is_counted() -> None:
    found, lost = read(
        "frames",
        said("a", "frame.offensive", "0.0"),
        said("a", "frame.group", "1.0"),
        said("b", "frame.offensive", "0.4"),
        said("b", "frame.lewd", "1"),
        said("b", "frame.lewd", "0"),
        said("c", "frame.group", "0.0"),
        said("d", "frame.offensive", None),
    )
    assert found == {
        ("a", "frame"): {"frame.offensive": "no"},
        ("b", "frame"): {"frame.lewd": "yes"},
    }
    assert lost == [
        "answers to 'frame.group': 1 (the question does not apply, given the answers before it)",
        "answers to 'frame.offensive': 1 (it is not one of the options)",
        "answers to 'frame.lewd': 1 (the same person gave a different one)",
    ]


def test_words_that_cannot_be_kept_do_not_stop_the_rest() -> None:
    found, lost = read(
        "frames",
        said("a", "frame.offensive", "1"),
        said("a", "frame.group", "1"),
        said("a", "frame.target_group", "x\x00", 0),
        said("b", "frame.offensive", "1"),
    )
    assert list(found) == [("b", "frame")]
    assert lost == ["judgements: 1 (an answer does not fit its question)"]


def test_categories_are_an_answer_of_the_second_stage() -> None:
    """Stage 2 is for sentences with a stereotype (Ariza-Casabona et al. 2022, section 4.2)."""
    found, lost = read(
        "stereotypes",
        said("a1", "stereotype", "1"),
        said("a1", "stereotype.security", "1"),
        said("a1", "stereotype.culture", "0"),
        said("a1", "stereotype.xenophobia", "1"),
        said("a2", "stereotype", "0"),
        said("a2", "stereotype.implicit", "0"),
        said("a2", "stereotype.security", "0"),
    )
    assert found == {
        ("a1", "presence"): {"stereotype": "yes"},
        ("a1", "categories"): {"categories": ["stereotype.xenophobia", "stereotype.security"]},
        ("a2", "presence"): {"stereotype": "no"},
    }
    assert lost == []


def test_the_samples_have_judgements() -> None:
    for corpus, protocol, people in (("ucc", "unhealthy", 3), ("sbic", "frames", 3)):
        answers = CorpusAnswers(load_protocol(protocol))
        given = [answers.of(example) for example in load_corpus(corpus, sample=True).examples()]
        assert max(len({each.annotator for each in one}) for one in given) >= people, corpus
        kinds = {loss.what for loss in answers.losses()}
        assert ("trust of judgements" in kinds) == (corpus == "ucc")
    answers = CorpusAnswers(load_protocol("pcl"))
    assert not any(answers.of(each) for each in load_corpus("dpm", sample=True).examples())
