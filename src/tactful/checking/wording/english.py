"""Explanations and reports in English."""

from collections.abc import Sequence

from tactful.checking.wording import Count, Explaining, Page, Reporting, Rules, Wording


def _likely(share: float) -> str:
    # No detector can know that something is certain.
    return f"{min(share, 0.99):.2f}"


def _joined(marked: Sequence[str]) -> str:
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"


ENGLISH = Wording(
    lang="en",
    quotes=("“", "”"),
    under="under 1",
    over="over 99",
    number="{:,}".format,
    likely=_likely,
    joined=_joined,
    explaining=Explaining(
        sureness=(
            "almost certain",
            "very sure",
            "fairly sure",
            "more sure than not",
            "unsure",
            "far from sure",
        ),
        sure=(
            "Tactful is {sure} of this ({percent}).",
            "Here Tactful is {sure} ({percent}).",
            "Our reading is {sure} ({percent}).",
            "How sure? {Sure} ({percent}).",
        ),
        carried=(
            "What carries it: {quotes}.",
            "Mostly through {quotes}.",
            "It rests on {quotes}.",
            "Look at {quotes}.",
        ),
        whole=(
            "No single word carries it.",
            "It lies in the whole.",
            "No one place stands out.",
            "The whole text carries it.",
        ),
        ask=(
            "Ask yourself: {questions}",
            "Worth asking: {questions}",
            "A check: {questions}",
            "Before you decide: {questions}",
        ),
        unless=(
            "Not so when {clause}.",
            "Ignore it when {clause}.",
            "A false alarm when {clause}.",
            "Never mind it when {clause}.",
        ),
        or_when=", or when ",
        unknown="The detector names this '{name}'.",
        experimental="An experiment: it was not learnt from texts in this language.",
        these_words="The words {quotes}",
        this_sentence="The sentence",
        implied="seem{ending} to tell readers that {statement}.",
        implied_about="seem{ending} to tell readers, about {group}, that {statement}.",
        tried="This reading is experimental.",
    ),
    reporting=Reporting(
        finding=Count("{n} finding", "{n} findings", "no findings"),
        passage=Count("{n} passage", "{n} passages", "no passages"),
        document=Count("{n} document", "{n} documents", "no documents"),
        silenced=Count(*["{n} silenced by 'tactful: ignore'"] * 3),
        silenced_here=Count(*["{n} silenced in the text"] * 3),
        quoted=Count(*["{n} only quoted"] * 3),
        in_quotation="quoted",
        known=Count(*["{n} known from the baseline"] * 3),
        unchanged=Count(*["{n} outside the changed lines"] * 3),
        unchecked=Count(
            "{n} passage in another language not checked",
            "{n} passages in another language not checked",
            "no passages in another language",
        ),
        unread=Count(
            "{n} document could not be checked",
            "{n} documents could not be checked",
            "no documents could not be checked",
        ),
        found_in="{findings} in {passages}",
        of_documents="({some} of {all} documents)",
        likelihoods=(
            "almost certain",
            "very likely",
            "likely",
            "rather likely",
            "possible",
            "doubtful",
        ),
        text="text",
        all_scores="all scores",
        carried="Carried by {quotes}.",
        carried_by_all="Carried by the whole passage.",
        instead="Instead: {quotes}.",
        instead_of="Instead of {words}: {quotes}.",
        short={
            "pcl": "patronizing",
            "pcl.the_poorer_the_merrier": "the poorer the merrier",
            "stereotype.others": "of another kind",
        },
        families={
            "pcl": Count(*["{n} patronizing"] * 3),
            "unhealthy": Count(*["{n} unhealthy"] * 3),
            "frame": Count(*["{n} offensive"] * 3),
            "stereotype": Count("{n} stereotype", "{n} stereotypes", "no stereotypes"),
            "toxicity": Count(*["{n} toxic"] * 3),
            "term": Count("{n} term", "{n} terms", "no terms"),
        },
        also="; also {kinds}",
        caveat=(
            "What readers may take from the words; not what the author believes, and not what is "
            "true."
        ),
        implies="May imply, about {group}: {statement}{sure}.",
        about="May be about {group}{sure}.",
        in_group=(
            "The author may speak as one of the group{sure}; that is a guess on which people, too, "
            "rarely agree, and it can change what the words mean."
        ),
        evidence="Read from {quotes}.",
    ),
    page=Page(
        skip="Skip to the text",
        heading="What these documents imply",
        a_text="A text",
        the_text="The text",
        empty="It holds no text to check.",
        colours="Colours",
        documents="Documents",
        note_label="How to read this page",
        note_head="A person decides.",
        note=(
            "A model marked these passages; it can be wrong, and it knows neither the writer nor "
            "the reader. A number says how sure the check is (from 0.5 on it reports), not how "
            "serious the problem is. Take each mark "
            "as a question to ask, and leave what is right as it is. A passage without a mark is "
            "not thereby fair."
        ),
        not_checked="Not checked.",
        line="line {line}",
        link="Finding {number}: {name}",
        sure="confidence {confidence}, probability {probability}",
        clean=Count(
            "{n} document without findings",
            "{n} documents without findings",
            "no documents without findings",
        ),
        why="Why, and what to ask yourself",
        about="About the detector: {model}",
        limits="What it cannot do",
        not_for="What it must not be used for",
        looked_for="Looked for: {ids}. Licence of the weights: {licence}.",
        colophon=(
            "Made by Tactful {version}, offline. This page holds no script and asks the network "
            "for nothing."
        ),
        kinds={
            "plain": "plain",
            "markdown": "markdown",
            "html": "html",
            "rst": "reStructuredText",
            "subtitles": "subtitles",
            "notebook": "notebook",
            "docx": "Word",
        },
    ),
    rules=Rules(
        folder="The folder in which the check ran.",
        ask="Ask yourself: {question}",
        example="For example: {example}",
        not_this="It is not: {sentences}",
        source="Source: {section}. {title} ({venue}).",
        caution="A detector can be wrong: a person decides.",
        more="More words that carry the finding.",
    ),
)
