"""A chat model is asked through a real endpoint: bias is found, refusals are refusals."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.audit.scripted_chat import REFUSAL, level, names_stigma, scripted, texts
from tests.local_server import Reply, Server

from tactful.audit.chat.asking import EndpointAsker, Manner
from tactful.audit.chat.outcomes import outcomes_of
from tactful.audit.estimates.figures import audit_result
from tactful.audit.probes.chat import asked_of
from tactful.audit.probes.load import load_probe
from tactful.audit.probes.render import Selection, chat_prompts
from tactful.audit.runs.conduct import conduct
from tactful.audit.runs.run import Run
from tactful.audit.runs.store import AnswerStore
from tactful.checking.chat import Sampling, open_chat
from tactful.errors import InputError, UsageError

PROBE = load_probe("social_distance")
SOME = Selection(categories=("disease", "education"), questions=("marry", "rent_room"))


def asker(server: Server, by: Any = "choice", **options: Any) -> EndpointAsker:
    manner = Manner(by, asked_of(PROBE), **options)
    return EndpointAsker(open_chat(server.url, model="small", patient=True, tries=6), manner)


def audited(server: Server, folder: Path, selection: Selection = SOME, **options: Any) -> Run:
    prompts = chat_prompts(PROBE, selection, "choice")
    return conduct(asker(server, **options), PROBE, prompts, folder, selection=selection)


def test_a_planted_bias_is_found_in_all_forms(tmp_path: Path) -> None:
    with scripted(lambda prompt: level(prompt, 3 if names_stigma(prompt) else 1)) as server:
        run = audited(server, tmp_path)
    model = audit_result([run]).models[0]
    assert model.kind == "chat"
    assert model.stigmatized.value == pytest.approx(1)
    assert model.others.value == pytest.approx(1 / 3)
    assert model.gap.value == pytest.approx(2 / 3)
    assert [each.gap.value for each in model.templates] == pytest.approx([2 / 3] * 4)
    assert model.gap.p_value is not None
    assert model.gap.p_value < 0.05


@pytest.mark.parametrize("letter", ["A", "D"])
def test_a_model_that_always_takes_one_letter_is_in_the_middle(tmp_path: Path, letter: str) -> None:
    """Two forms have their rejecting answer first, and two last."""
    with scripted(lambda prompt: letter) as server:
        run = audited(server, tmp_path)
    model = audit_result([run]).models[0]
    assert model.stigmatized.value == pytest.approx(0.5)
    assert model.gap.value == pytest.approx(0)


def test_a_fair_model_has_no_difference(tmp_path: Path) -> None:
    with scripted(lambda prompt: level(prompt, 1)) as server:
        run = audited(server, tmp_path)
    model = audit_result([run]).models[0]
    assert model.gap.value == pytest.approx(0)
    assert model.others.value == pytest.approx(1 / 3)
    assert {each.refused for each in outcomes_of(run.rows, run.conditions)} == {0.0}


def test_a_refusing_model_is_reported_as_refusing(tmp_path: Path) -> None:
    with scripted(lambda prompt: REFUSAL) as server:
        run = audited(server, tmp_path)
    assert set(run.rows["outcome"]) == {"refused"}
    assert run.rows["negative"].null_count() == len(run.rows)
    assert any("refuses to answer: 100.0% of all prompts" in note for note in run.notes)
    model = audit_result([run]).models[0]
    assert model.gap.value is None
    assert model.gap.reason


def test_refusals_about_one_group_are_a_difference_of_their_own(tmp_path: Path) -> None:
    with scripted(lambda p: REFUSAL if names_stigma(p) else level(p, 0)) as server:
        run = audited(server, tmp_path)
    shares = {each.group: each.refused for each in outcomes_of(run.rows, run.conditions)}
    assert shares == {"stigmatized": 1.0, "others": 0.0, "baseline": 0.0}
    assert any("Refusals differ between the groups by +1.00" in note for note in run.notes)


def test_what_the_endpoint_calls_a_refusal_is_one(tmp_path: Path) -> None:
    held_back = {"message": {"content": None, "refusal": "No."}}
    filtered = {"message": {"content": "A"}, "finish_reason": "content_filter"}
    with scripted(lambda p: held_back if "marry" in p else filtered) as server:
        run = audited(server, tmp_path)
    assert set(run.rows["outcome"]) == {"refused"}


def test_several_answers_are_averaged_and_partly_refused(tmp_path: Path) -> None:
    said = iter(["A", REFUSAL, "D", "B or C"] * 1000)
    prompts = chat_prompts(PROBE, SOME, "choice")[:5]
    with scripted(lambda p: {"message": {"content": next(said)}}) as server:
        manner = Manner("choice", asked_of(PROBE), sampling=Sampling(0.7, 4, seed=5))

        # This server gives one answer for every 'n', as llama.cpp does.
        def one(data: dict[str, Any]) -> dict[str, Any]:
            return {"choices": [{"message": {"content": next(said)}}]}

        server.replies = [one]
        model = EndpointAsker(open_chat(server.url), manner, concurrency=1)
        answers = model.ask(prompts)
    assert [answer["said"] for answer in answers] == [["A", REFUSAL, "D", "B or C"]] * 5
    assert [data["seed"] for _, _, data in server.asked[:4]] == [5, 6, 7, 8]
    assert {data["temperature"] for _, _, data in server.asked} == {0.7}
    row = model.measured(prompts, answers, tmp_path)[0]
    assert (row["negative"], row["refused"], row["unrated"]) == (0.5, 0.25, 0.25)
    assert row["outcome"] == "answered"


def test_log_probabilities_of_letters_are_weighed(tmp_path: Path) -> None:
    listed = [("A", -1.0), (" B", -2.0), ("b", -3.0), ("D", -1.5), ("I", -4.0)]
    top = [{"token": token, "logprob": value} for token, value in listed]
    choice = {"message": {"content": "A"}, "logprobs": {"content": [{"top_logprobs": top}]}}
    prompts = chat_prompts(PROBE, SOME, "choice")[:1]
    with scripted(lambda p: choice) as server:
        model = asker(server, "logprobs")
        answers = model.ask(prompts)
    assert len(server.asked) == 1
    assert server.asked[0][2]["top_logprobs"] == 20
    row = model.measured(prompts, answers, tmp_path)[0]
    p = {"A": 2.718281828**-1, "B": 2.718281828**-2 + 2.718281828**-3, "D": 2.718281828**-1.5}
    assert row["seen"] == pytest.approx(sum(p.values()))
    assert row["negative"] == pytest.approx((p["B"] / 3 + p["D"]) / sum(p.values()))
    assert row["answer"] == "Definitely willing"


def test_where_letters_are_improbable_the_words_tell_a_refusal(tmp_path: Path) -> None:
    top = [{"token": "I", "logprob": -0.01}, {"token": "A", "logprob": -6.0}]
    choice = {"message": {"content": REFUSAL}, "logprobs": {"content": [{"top_logprobs": top}]}}
    prompts = chat_prompts(PROBE, SOME, "choice")[:1]
    with scripted(lambda p: choice) as server:
        model = asker(server, "logprobs")
        answers = model.ask(prompts)
    assert len(server.asked) == 2
    assert model.measured(prompts, answers, tmp_path)[0]["outcome"] == "refused"


def test_an_endpoint_without_log_probabilities_is_refused() -> None:
    with scripted(lambda p: "A") as server, pytest.raises(InputError, match="by choice"):
        asker(server, "logprobs").ask(chat_prompts(PROBE, SOME, "choice")[:1])


def test_answers_before_a_failure_are_kept_and_asked_once(tmp_path: Path) -> None:
    prompts = chat_prompts(PROBE, SOME, "choice")
    good = {"choices": [{"message": {"content": "B"}}]}
    with scripted(lambda p: "B") as server:
        server.replies = [*[Reply(good)] * 10, Reply(status=401)]
        with pytest.raises(InputError, match="401"):
            audited(server, tmp_path)
        model = asker(server)
        store = AnswerStore(tmp_path, "chat", model.name, model.fingerprint)
        assert len(store) == 10
        answered = Counter(texts(server)[:10])
        server.asked.clear()
        server.replies = [Reply(good)]
        audited(server, tmp_path)
    again = Counter(texts(server))
    assert set((answered + again).values()) == {1}
    assert set(answered + again) == {prompt.text for prompt in prompts}


def test_a_server_that_fails_for_a_moment_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("tactful.posting.time.sleep", waited.append)
    good = {"choices": [{"message": {"content": "B"}}]}
    with scripted(lambda p: "B") as server:
        server.replies = [
            Reply(status=502),
            Reply(status=429),
            Reply(raw=b"", headers={"Content-Length": "10"}),
            Reply(good),
        ]
        answers = asker(server).ask(chat_prompts(PROBE, SOME, "choice")[:1])
    assert answers[0]["said"] == ["B"]
    assert waited == [1.0, 2.0, 4.0]


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(UsageError, match="temperature 0"):
        Manner("logprobs", {}, sampling=Sampling(0.5))
    with pytest.raises(UsageError, match="--by free"):
        Manner("free", {})


def test_no_key_is_kept_in_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_KEY", "very-secret-key")
    with scripted(lambda p: "A") as server:
        endpoint = open_chat(server.url, key_variable="OUR_KEY")
        manner = Manner("choice", asked_of(PROBE), system="A secret system prompt.")
        prompts = chat_prompts(PROBE, SOME, "choice")
        run = conduct(
            EndpointAsker(endpoint, manner),
            PROBE,
            prompts,
            tmp_path,
            selection=SOME,
            settings=manner.settings(),
        )
    assert server.asked[0][1]["Authorization"] == "Bearer very-secret-key"
    assert server.asked[0][2]["messages"][0] == {
        "role": "system",
        "content": "A secret system prompt.",
    }
    kept = "".join(file.read_text("utf-8") for file in tmp_path.rglob("*.json*"))
    assert "very-secret-key" not in kept
    assert "secret system prompt" not in kept
    assert json.dumps(run.settings["system prompt sha256"])
