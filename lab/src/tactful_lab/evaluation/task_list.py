"""The tasks of ``tactful evaluate``: what each is about and which files it reads."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """A task, as ``tactful evaluate --list`` shows it."""

    reader: str
    what: str
    predictions: str
    takes: tuple[str, ...] = ()
    """The inputs (``Spec.takes``) of metrics that plug-ins can add to this task."""


TASKS = {
    "pcl-detection": Task(
        "tactful_lab.evaluation.submissions:pcl_detection",
        "SemEval-2022 task 4, subtask 1: patronizing or not",
        "task1.txt: 0 or 1 on each line, in the order of gold",
        ("binary",),
    ),
    "pcl-categories": Task(
        "tactful_lab.evaluation.submissions:pcl_categories",
        "SemEval-2022 task 4, subtask 2: seven categories",
        "task2.txt: seven of 0 or 1 with commas on each line, in the order of gold",
        ("label_sets",),
    ),
    "detests-1": Task(
        "tactful_lab.evaluation.submissions:detests_1",
        "DETESTS 2022, subtask 1: stereotype or not",
        "table: sentence_id, stereotype",
        ("binary",),
    ),
    "detests-2": Task(
        "tactful_lab.evaluation.submissions:detests_2",
        "DETESTS 2022, subtask 2: ten categories in a hierarchy",
        "table: sentence_id, stereotype and the ten categories",
        ("label_sets",),
    ),
    "pyevall": Task(
        "tactful_lab.evaluation.pyevall:pyevall",
        "hard or soft labels in the format of PyEvALL",
        "JSON list of test_case, id, value",
    ),
    "binary": Task(
        "tactful_lab.evaluation.plain_tasks:binary", "0/1 answers", "table: id, label", ("binary",)
    ),
    "multilabel": Task(
        "tactful_lab.evaluation.plain_tasks:multilabel",
        "any number of labels",
        "table: id and a 0/1 column for each label",
        ("label_sets",),
    ),
    "scores": Task(
        "tactful_lab.evaluation.plain_tasks:scores",
        "probabilities of a 0/1 answer",
        "table: id, score (gold: id, label)",
        ("binary_scores", "binary_probabilities"),
    ),
    "spans": Task(
        "tactful_lab.evaluation.plain_tasks:spans",
        "spans of text",
        "table: id, start, end and optionally category; or id, spans",
        ("spans",),
    ),
    "texts": Task(
        "tactful_lab.evaluation.generated_texts:texts",
        "generated texts and their references",
        "table: id, text (gold: id, references; or a row for each reference)",
        ("references_texts",),
    ),
    "frames": Task(
        "tactful_lab.evaluation.frame_answers:frames",
        "Social Bias Frames: each variable, groups and statements",
        "JSON Lines of 'tactful frame' (gold: the corpus' files, or JSON Lines)",
    ),
    "soft": Task(
        "tactful_lab.evaluation.plain_tasks:soft",
        "distributions over labels",
        "table: id and a probability for each label",
        ("distributions",),
    ),
}
