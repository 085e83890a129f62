import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tactful.audit.protocol import Answer, Kind
from tactful.audit.runs.conduct import ask_all
from tactful.audit.runs.store import AnswerStore
from tactful.errors import FileFormatError, InputError, UsageError
from tactful.taxonomies.prompts import Prompt


class Counting:
    """Answers with the length of the text, remembers what it was asked, and may break."""

    name = "counting"
    kind: Kind = "causal"
    fingerprint = "f" * 64
    notes: Sequence[str] = ()
    batch = 2

    def __init__(self, breaks_after: int | None = None):
        self.asked: list[str] = []
        self.breaks_after = breaks_after

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        if self.breaks_after is not None and len(self.asked) >= self.breaks_after:
            raise KeyboardInterrupt
        self.asked += [prompt.text for prompt in prompts]
        return [{"pairs": [], "length": len(prompt.text)} for prompt in prompts]


class Short(Counting):
    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        return super().ask(prompts)[1:]


def prompts(*texts: str) -> list[Prompt]:
    return [Prompt(None, None, None, "t", text) for text in texts]


def store_in(folder: Path) -> AnswerStore:
    return AnswerStore(folder, "causal", "counting", "f" * 64)


def test_equal_texts_are_asked_once_and_answered_in_order(tmp_path: Path) -> None:
    asker = Counting()
    answers = ask_all(asker, prompts("bb", "a", "bb", "ccc"), store_in(tmp_path))
    assert [answer["length"] for answer in answers] == [2, 1, 2, 3]
    assert sorted(asker.asked) == ["a", "bb", "ccc"]


def test_a_second_audit_asks_nothing(tmp_path: Path) -> None:
    ask_all(Counting(), prompts("a", "b"), store_in(tmp_path))
    again = Counting()
    ask_all(again, prompts("a", "b"), store_in(tmp_path))
    assert again.asked == []


def test_an_audit_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    wanted = prompts("a", "bb", "ccc", "dddd", "eeeee")
    first = Counting(breaks_after=2)
    with pytest.raises(KeyboardInterrupt):
        ask_all(first, wanted, store_in(tmp_path))
    second = Counting()
    answers = ask_all(second, wanted, store_in(tmp_path))
    assert len(answers) == 5
    assert set(first.asked) | set(second.asked) == {prompt.text for prompt in wanted}
    assert not set(first.asked) & set(second.asked)


def test_progress_counts_what_was_known_before(tmp_path: Path) -> None:
    ask_all(Counting(), prompts("a", "b"), store_in(tmp_path))
    seen: list[tuple[int, int]] = []
    ask_all(
        Counting(),
        prompts("a", "b", "c"),
        store_in(tmp_path),
        lambda done, all_: seen.append((done, all_)),
    )
    assert seen == [(2, 3), (3, 3)]


@pytest.mark.parametrize("cut", [1, 5, 20, 60])
def test_a_line_that_a_crash_cut_off_is_skipped_and_asked_again(tmp_path: Path, cut: int) -> None:
    store = store_in(tmp_path)
    store.add([("first", {"pairs": []}), ("second", {"pairs": [], "n": 2})])
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-cut])
    again = store_in(tmp_path)
    known = {"first", "second"} if cut == 1 else {"first"} if cut < 40 else set()
    assert {text for text in ("first", "second") if text in again} == known
    again.add([("third", {"pairs": []})])
    last = store_in(tmp_path)
    assert "third" in last
    assert len(last) == len(known) + 1


def test_a_file_whose_first_line_was_cut_off_begins_anew(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.add([("first", {"pairs": []})])
    store.path.write_bytes(store.path.read_bytes()[:10])
    assert len(store_in(tmp_path)) == 0


def test_the_answers_of_another_model_are_refused(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.add([("first", {"pairs": []})])
    lines = store.path.read_text(encoding="utf-8").splitlines()
    header = json.loads(lines[0]) | {"fingerprint": "f" * 63 + "0"}
    store.path.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match="line 1: found the answers of another model"):
        store_in(tmp_path)


def test_texts_with_line_separators_and_surrogates_come_back(tmp_path: Path) -> None:
    text = "one\u2028two\nthree \U0001f600 é"
    store_in(tmp_path).add([(text, {"pairs": []})])
    assert text in store_in(tmp_path)


def test_a_model_that_answers_too_little_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="counting gave 1 answer to 2 prompts"):
        ask_all(Short(), prompts("a", "b"), store_in(tmp_path))


def test_one_text_under_two_templates_is_refused_where_templates_have_words_of_their_own(
    tmp_path: Path,
) -> None:
    twice = [Prompt(None, None, None, name, "same") for name in ("first", "second")]
    with pytest.raises(UsageError, match="'first' and 'second' give the same text"):
        ask_all(Counting(), twice, store_in(tmp_path))
