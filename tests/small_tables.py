"""Small tables of judgements with a known truth: where models have little to go by.

8 to 60 items, 3 to 12 annotators, 2 to 4 labels, 2 to 6 judgements an item. In a third of the
tables annotators have one accuracy, in a third one for each label, and in a third some of them
answer by habit, without regard to the item.
"""

import numpy as np

Row = tuple[str, str, str]


def small_table(seed: int) -> tuple[list[Row], dict[str, str]]:
    """Return the judgements (item, annotator, label) and the truth of each item."""
    rng = np.random.default_rng([28, seed])
    labels = int(rng.choice([2, 2, 3, 4]))
    items, people = int(rng.integers(8, 61)), int(rng.integers(3, 13))
    each = min(people, int(rng.integers(2, 7)))
    truth = rng.choice(labels, items, p=rng.dirichlet(np.full(labels, 4.0)))
    kind = str(rng.choice(["coin", "confusion", "spam"]))
    confusion = np.stack([_annotator(kind, labels, rng) for _ in range(people)])
    rows = [
        (f"i{item:02}", f"a{who:02}", f"l{rng.choice(labels, p=confusion[who, truth[item]])}")
        for item in range(items)
        for who in rng.choice(people, each, replace=False)
    ]
    return rows, {f"i{item:02}": f"l{label}" for item, label in enumerate(truth)}


def _annotator(kind: str, labels: int, rng: np.random.Generator) -> np.ndarray:
    """Return an annotator's chances: true labels by answers."""
    accuracy = rng.beta(6, 2.5)
    if kind == "spam" and rng.random() < 0.3:
        return np.tile(rng.dirichlet(np.ones(labels)), (labels, 1))
    answers = []
    for label in range(labels):
        right = rng.beta(6, 2.5) if kind == "confusion" else accuracy
        others = np.full(labels - 1, 1 / (labels - 1))
        if kind == "confusion":
            others = rng.dirichlet(np.ones(labels - 1))
        answers.append(np.insert((1 - right) * others, label, right))
    return np.stack(answers)
