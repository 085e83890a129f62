import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from tactful.checking.options import CheckOptions
from tactful.checking.reports.run import render
from tactful.cli.check import check_cli
from tactful.detectors.load import load_detector
from tactful.errors import UnknownNameError, UsageError
from tactful.service.engine.engine import Engine, Scored
from tactful.service.http.errors import Busy, NotReady, ServiceError, TimedOut
from tactful.service.settings import ServiceSettings

ENGLISH = "With our help even they can learn to hope again, and one day they may thank us."
SPANISH = "Los vecinos del barrio dicen que la plaza es para todos y que hay que cuidarla."
FRENCH = "Je voudrais bien savoir ce que veut dire cette phrase bizarre et beaucoup trop longue."
MENTION = "My neighbour is Muslim and we share a garden."
OFFENCE = "Women are too stupid to vote."
FAST = ServiceSettings(model="fast", langs=("en",), timeout_seconds=3600)


@asynccontextmanager
async def running(settings: ServiceSettings = FAST) -> AsyncIterator[Engine]:
    engine = Engine(settings)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


def with_engine(
    test: Callable[[Engine], Coroutine[Any, Any, None]], settings: ServiceSettings = FAST
) -> None:
    async def main() -> None:
        async with running(settings) as engine:
            await test(engine)

    asyncio.run(main())


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that must happen; the limit is there only against hanging."""
    async with asyncio.timeout(120):
        while not is_so():
            await asyncio.sleep(0.001)


@asynccontextmanager
async def held_up(engine: Engine) -> AsyncIterator[None]:
    """Keep the lane of English busy while the block runs."""
    await until(lambda: engine.not_ready() is None)
    go_on = threading.Event()
    engine._readers.lanes["en"].submit(go_on.wait, 120)
    try:
        yield
    finally:
        go_on.set()


def test_scores_are_those_of_the_detector() -> None:
    texts = [ENGLISH, "The library opens on Monday.", "Nobody asked you, log off.", MENTION]
    expected = load_detector("fast").score(texts)

    async def test(engine: Engine) -> None:
        alone = await asyncio.gather(*(engine.score([text], "en") for text in texts))
        together = await engine.score(texts, "en")
        for row, found in enumerate(together):
            assert found.model == engine.cards["en"].model
            assert alone[row] == [found]
            for name, value in found.probabilities.items():
                assert value == pytest.approx(float(expected[name][row]), abs=1e-6)

        assert together[3].probabilities["frame.offensive"] < 0.3

    with_engine(test)


@pytest.mark.parametrize("model", ["default", "fast"])
def test_scores_and_checks_agree_on_what_is_an_offence(model: str) -> None:
    async def test(engine: Engine) -> None:
        text = f"{MENTION}\n\n{OFFENCE}"
        limits = {"frame.offensive": 0.6, "frame.group": 0.6}
        asked = CheckOptions(only=("frame",), thresholds=limits, frames="groups")
        report = await engine.check(text, asked)
        (score,) = await engine.score([OFFENCE], "en")
        assert {each.passage.text for each in report.findings} == {OFFENCE}
        for each in report.findings:
            assert each.probability == score.probabilities[each.id]
        bare = await engine.check(text, replace(asked, frames="off"))
        assert {each.passage.text for each in bare.findings} == {OFFENCE}

    with_engine(test, replace(FAST, model=model))


def test_each_text_is_read_in_its_language() -> None:
    async def test(engine: Engine) -> None:
        found = await engine.score([ENGLISH, SPANISH, "hm"])
        assert [each.lang for each in found] == ["en", "es", "en"]
        assert "stereotype" in found[1].probabilities
        assert engine.detect(SPANISH) == ["es"]
        assert engine.detect(FRENCH) == []
        assert engine.detect("hm") == ["en", "es"]
        assert engine.detect("De nada") == ["es", "en"]

    with_engine(test, ServiceSettings())


def test_requests_that_come_together_are_read_together() -> None:
    async def test(engine: Engine) -> None:
        async with held_up(engine):
            asked = [asyncio.create_task(engine.score([f"Text {n}."], "en")) for n in range(20)]
            await until(lambda: engine.waiting == 20)
        await asyncio.gather(*asked)
        assert engine.waiting == 0
        page = engine.metrics.page().decode()
        assert 'tactful_texts_scored_total{model="fast-en 2.3"} 20.0' in page
        # The first of the twenty, and then the others at once.
        batches = page.partition('tactful_batch_texts_count{model="fast-en 2.3"} ')[2]
        assert float(batches.split()[0]) == 2

    with_engine(test)


def test_a_full_queue_says_when_to_come_back() -> None:
    async def test(engine: Engine) -> None:
        async with held_up(engine):
            asked = [asyncio.create_task(engine.score(["a"], "en")) for _ in range(5)]
            await until(lambda: engine.waiting == 5)
            with pytest.raises(Busy) as error:
                await engine.score(["b"], "en")
            assert error.value.code == 429
            assert int(error.value.headers["Retry-After"]) >= 1
        await asyncio.gather(*asked)
        assert len(await engine.score(["c"], "en")) == 1

    with_engine(test, replace(FAST, max_queue=5))


def test_a_request_larger_than_the_queue_is_let_in_alone() -> None:
    async def test(engine: Engine) -> None:
        assert len(await engine.score([f"Text {n}." for n in range(30)], "en")) == 30

    with_engine(test, replace(FAST, max_queue=5))


def test_what_takes_too_long_is_given_up_and_frees_its_place() -> None:
    async def test(engine: Engine) -> None:
        async with held_up(engine):
            with pytest.raises(TimedOut):
                await engine.score(["a"], "en")
            assert engine.waiting == 0

    with_engine(test, replace(FAST, timeout_seconds=0.2))


def test_a_caller_who_goes_away_frees_his_place() -> None:
    async def test(engine: Engine) -> None:
        async with held_up(engine):
            asked = asyncio.create_task(engine.score(["a"], "en"))
            await until(lambda: engine.waiting == 1)
            asked.cancel()
            await asyncio.wait([asked])
            assert engine.waiting == 0

    with_engine(test)


def test_stopping_finishes_what_was_accepted() -> None:
    async def main() -> None:
        engine = Engine(FAST)
        await engine.start()
        asked = asyncio.create_task(engine.score([ENGLISH], "en"))
        await asyncio.sleep(0)
        stopping = asyncio.create_task(engine.stop())
        assert isinstance((await asked)[0], Scored)
        await stopping
        with pytest.raises(NotReady, match="stopping"):
            await engine.score([ENGLISH], "en")

    asyncio.run(main())


@pytest.mark.parametrize("model", ["fast", "default"])
def test_a_check_is_that_of_the_command(model: str) -> None:
    rude = "Only an idiot would believe this stupid nonsense."
    text = f"# Letter\n\n{ENGLISH}\n\nThe library opens on Monday.\n\n{rude}\n"
    options = ["--model", model, "--lang", "en", "--kind", "markdown", "--no-config"]
    told = CliRunner().invoke(
        check_cli, ["--text", text, *options, "--format", "json", "--least", "0.05"]
    )

    async def test(engine: Engine) -> None:
        report = await engine.check(text, CheckOptions(least=0.05), kind="markdown")
        ours = "".join(render("json", [report], engine.run()))
        assert json.loads(ours) == json.loads(told.stdout)
        assert len(report.findings) > 1

    with_engine(test, replace(FAST, model=model))


def test_a_check_of_several_languages_is_that_of_the_command() -> None:
    text = f"{ENGLISH}\n\n{SPANISH}\n\n{FRENCH}\n\n{ENGLISH} {SPANISH}\n"
    told = CliRunner().invoke(
        check_cli, ["--text", text, "--no-config", "--format", "json", "--least", "0.05"]
    )

    async def test(engine: Engine) -> None:
        report = await engine.check(text, CheckOptions(least=0.05))
        ours = json.loads("".join(render("json", [report], engine.run(report_lang="en"))))
        assert ours == json.loads(told.stdout)
        assert ours["summary"]["unchecked"] == 1
        assert {card["lang"] for card in ours["models"]} == {"en", "es"}

    with_engine(test, ServiceSettings())


def test_a_spanish_check_speaks_spanish_unless_told_otherwise() -> None:
    async def test(engine: Engine) -> None:
        own = await engine.check(SPANISH, CheckOptions(least=0.0, thresholds={"stereotype": 0.0}))
        english = await engine.check(
            SPANISH, CheckOptions(least=0.0, thresholds={"stereotype": 0.0}, report_lang="en")
        )
        assert own.findings[0].name != english.findings[0].name
        with pytest.raises(ServiceError) as error:
            await engine.check(SPANISH, CheckOptions(only=("pcl",)))
        assert error.value.error_type == "LANGUAGE_NOT_SUPPORTED"

    with_engine(test, ServiceSettings())


def test_wrong_wishes_are_refused() -> None:
    async def test(engine: Engine) -> None:
        with pytest.raises(UnknownNameError):
            await engine.check(ENGLISH, CheckOptions(only=("plc",)))
        with pytest.raises(UnknownNameError):
            await engine.check(ENGLISH, CheckOptions(thresholds={"plc": 0.5}))
        with pytest.raises(UsageError):
            await engine.check(ENGLISH, CheckOptions(thresholds={"pcl": 5}))
        with pytest.raises(ServiceError, match="empty"):
            await engine.check(" \n")
        with pytest.raises(ServiceError, match="not served"):
            await engine.score([ENGLISH], "fr")

    with_engine(test)


def test_a_document_that_runs_out_of_time_is_given_up() -> None:
    async def test(engine: Engine) -> None:
        async with held_up(engine):
            with pytest.raises(TimedOut):
                await engine.check(ENGLISH, CheckOptions(least=0.0, thresholds={"pcl": 0.0}))
            assert engine.waiting == 0

    with_engine(test, replace(FAST, timeout_seconds=0.3))


def test_frames_name_groups() -> None:
    async def test(engine: Engine) -> None:
        text = "We should not lower our standards just to hire more women."
        with_words, without = (
            await engine.frame([text]),
            await engine.frame([text], statements=False),
        )
        assert with_words[0].target_groups == ("women",)
        assert with_words[0].implied_statements
        assert without[0].implied_statements == ()

    with_engine(test)


def test_a_model_that_cannot_be_opened_is_told(tmp_path: Any) -> None:
    (tmp_path / "card.json").write_text(
        json.dumps({"name": "x", "version": "1", "ids": ["pcl"], "kind": "encoder", "lang": "en"})
    )

    async def test(engine: Engine) -> None:
        with pytest.raises(NotReady, match=r"cannot be opened|still starting"):
            await engine.score([ENGLISH], "en")
        assert engine.not_ready() is not None
        assert engine.not_ready() is not None

    with_engine(test, ServiceSettings(model=str(tmp_path)))


def test_a_wrong_model_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="detector"):
        Engine(ServiceSettings(model="none-such"))
    with pytest.raises(UsageError, match="language"):
        Engine(ServiceSettings(langs=("fr",)))
