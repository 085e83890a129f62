"""Judges of free answers, and texts that are compared where only the condition changes."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.audit.scripted_chat import REFUSAL, names_stigma, options, scripted

from tactful.audit.attitudes import load_attitudes
from tactful.audit.chat.asking import EndpointAsker, Judge, Manner
from tactful.audit.chat.counterfactual import COSINE, compare_texts, cosine, pairs_of
from tactful.audit.chat.judges import ClassifierJudge, LexiconJudge, ModelJudge
from tactful.audit.chat.outcomes import accuracy
from tactful.audit.classifiers.callable import CallableClassifier
from tactful.audit.estimates.figures import audit_result
from tactful.audit.probes.chat import asked_of
from tactful.audit.probes.load import load_probe
from tactful.audit.probes.render import Selection, chat_prompts
from tactful.audit.runs.conduct import conduct, ratings_of
from tactful.audit.runs.run import Run
from tactful.checking.chat import open_chat
from tactful.errors import UsageError

WARM, COLD = "I would be happy: they are welcome.", "I would be unhappy, it is dangerous."
SOME = Selection(categories=("disease",), questions=("marry",))
DAILY = Selection(categories=("disease", "education"), questions=("morning", "story"))


def free(server: Any, judge: Judge, folder: Path, name: str, selection: Selection) -> Run:
    probe = load_probe(name)
    manner = Manner("free", asked_of(probe), judge=judge)
    asker = EndpointAsker(open_chat(server.url, model="m"), manner)
    prompts = chat_prompts(probe, selection, "free")
    return conduct(
        asker, probe, prompts, folder, selection=selection, settings=manner.settings(), force=True
    )


@pytest.mark.parametrize(
    ("said", "share"),
    [
        ("That is good and right.", 0.0),
        ("That would be bad and wrong.", 1.0),
        ("That is good, but dangerous.", 0.5),
        ("That is not good.", 1.0),
        ("That is never wrong.", 0.0),
        ("The cat sat there.", None),
    ],
)
def test_rated_words_are_counted_and_negations_turn_them(said: str, share: float | None) -> None:
    judge = LexiconJudge(load_attitudes())
    assert judge.share("How would you feel about it?", said) == share


def test_words_of_the_question_do_not_count() -> None:
    judge = LexiconJudge(load_attitudes())
    assert judge.share("Is it dangerous?", "It is dangerous, and good.") == 0.0


def test_spanish_words_are_rated_by_the_probe() -> None:
    judge = LexiconJudge(ratings_of(load_probe("social_distance_es")), "es")
    assert judge.share("", "No me parece bueno.") == 1.0
    assert judge.share("", "Me encantaría, es estupendo.") == 0.0


@pytest.mark.parametrize("kind", ["lexicon", "classifier", "model"])
def test_every_judge_finds_a_planted_bias(tmp_path: Path, kind: str) -> None:
    def verdict(prompt: str) -> str:
        assert "dangerous" in prompt or "welcome" in prompt
        # The judge does not see whom the answer is about.
        assert not names_stigma(prompt)
        letters = options(prompt)
        rejects = "dangerous" in prompt
        return letters["It rejects the person" if rejects else "It accepts the person"]

    with (
        scripted(lambda p: COLD if names_stigma(p) else WARM) as model,
        scripted(verdict) as second,
    ):
        judges: dict[str, Judge] = {
            "lexicon": LexiconJudge(load_attitudes()),
            "classifier": ClassifierJudge(
                CallableClassifier(
                    "words",
                    lambda texts: ["negative" if "dangerous" in t else "positive" for t in texts],
                    (),
                    {},
                )
            ),
            "model": ModelJudge(open_chat(second.url, model="judge")),
        }
        run = free(model, judges[kind], tmp_path, "social_distance", SOME)
        asked = len(model.asked)
        again = free(model, judges[kind], tmp_path, "social_distance", SOME)
    assert len(model.asked) == asked, "another judge, or the same, needs no new answers"
    assert again.rows.equals(run.rows)
    found = audit_result([run]).models[0]
    assert found.gap.value is not None
    assert found.gap.value > 0.5
    if kind == "model":
        assert len(second.asked) == 2, "an answer that came twice is judged once"


def test_free_refusals_are_not_judged(tmp_path: Path) -> None:
    with scripted(lambda p: REFUSAL if names_stigma(p) else WARM) as model:
        run = free(model, LexiconJudge(load_attitudes()), tmp_path, "social_distance", SOME)
    named = run.rows.filter(pl.col("condition").str.starts_with("stigma."))
    assert set(named["outcome"]) == {"refused"}
    assert named["negative"].null_count() == len(named)


def test_counterfactual_texts_differ_where_the_model_does(tmp_path: Path) -> None:
    with scripted(
        lambda p: f"A bad day began. {p}" if names_stigma(p) else f"A day began. {p}"
    ) as m:
        run = free(m, LexiconJudge(load_attitudes()), tmp_path, "daily_life", DAILY)
    pairs = pairs_of(run, tmp_path)
    measures = {"bad": lambda texts: [float("bad" in text) for text in texts]}
    bad, words = compare_texts(run, pairs, measures, repetitions=200)
    assert (bad.stigmatized, bad.others, bad.gap) == (1.0, 0.0, 1.0)
    assert bad.p_value is not None
    assert bad.p_value < 0.05
    assert words.measure == COSINE
    assert words.others == pytest.approx(0)
    assert words.stigmatized is not None
    assert words.stigmatized > 0.1


def test_counterfactual_needs_free_texts(tmp_path: Path) -> None:
    with scripted(lambda p: REFUSAL) as model:
        run = free(model, LexiconJudge(load_attitudes()), tmp_path, "daily_life", DAILY)
    with pytest.raises(UsageError, match="has no pairs"):
        pairs_of(run, tmp_path)
    wrong = Run("x", "causal", "m", "f", "p", run.rows, run.conditions)
    with pytest.raises(UsageError, match="--by free"):
        pairs_of(wrong, tmp_path)


def test_cosine_of_words() -> None:
    assert cosine("a b c", "a b c", set()) == pytest.approx(1)
    assert cosine("a b", "c d", set()) == 0
    assert cosine("a x", "a y", {"x", "y"}) == pytest.approx(1)
    assert cosine("", "", set()) == 1


@pytest.mark.parametrize("faithful", [True, False])
def test_known_facts_are_counted_right_or_wrong(tmp_path: Path, faithful: bool) -> None:
    """One model keeps to the facts, the other always names the stigmatized person."""
    probe = load_probe("two_people")

    def say(prompt: str) -> str:
        letters = options(prompt)
        text, _, _ = prompt.partition("\nA. ")
        people = [each for each in letters if each != "It cannot be known"]
        if faithful:
            if "the second" not in text:
                return letters["It cannot be known"]
            return letters[min(people, key=lambda each: text.lower().index(each.lower()))]
        named = [each for each in people if names_stigma(f" {each}")]
        return letters[(named or people)[0]]

    selection = Selection(conditions=("stigma.hiv", "stigma.atheist", "non_stigma.rich"))
    asked = asked_of(probe)
    with scripted(say) as server:
        asker = EndpointAsker(open_chat(server.url), Manner("choice", asked))
        prompts = chat_prompts(probe, selection, "choice")
        run = conduct(asker, probe, prompts, tmp_path, selection=selection)
    right = accuracy(run.rows, asked)
    found = audit_result([run]).models[0]
    if faithful:
        assert set(right.values()) == {1.0}
        assert found.gap.value == pytest.approx(0)
        assert found.stigmatized.value == pytest.approx(0.5)
    else:
        assert right["two, unknown"] == 0.0
        assert found.stigmatized.value == pytest.approx(1)
