"""A corpus in the shape of DETESTS: our own mild sentences, made from templates with a seed.

Files and columns are those of the authors (comments are numbered per file, a sentence is
known by its comment and its place), the shares of categories those of table 2, the share of
stereotypes that of section 4.3 (24 %), and about a third of the stereotypes have two categories
(figure 1).
"""

import csv
import random
from pathlib import Path

CATEGORIES = (
    "xenophobia", "suffering", "economic", "migration", "culture",
    "benefits", "health", "security", "dehumanisation", "others",
)  # fmt: skip
# Table 2, in sentences; the rarest are lifted a little, so that each is in both parts.
SHARES = (45, 113, 75, 553, 265, 315, 60, 376, 100, 90)
CONTEXT = ("comment_id", "sentence_pos", "reply_to", "sentence")
EXTRA = ("racial_target", "other_target", "implicit")
LABELS = (*EXTRA, "stereotype", *CATEGORIES)
TRAIN, TEST = 300, 140

WHO = (
    "los forasteros", "los recién llegados", "los del otro lado del río", "los de fuera",
    "los vecinos extranjeros", "los que vienen de lejos",
)  # fmt: skip
WHERE = ("en el pueblo", "en el barrio", "en Valdeflor", "en esta comarca", "en nuestra plaza")
WHEN = ("siempre", "todos los años", "a todas horas", "cada verano", "como de costumbre")
SAID = {
    "xenophobia": (
        "a {who} {when} los miran mal {where}",
        "nadie quiere sentarse con {who} {where}",
    ),
    "suffering": (
        "{who} {when} huyen de la miseria y lo pasan mal {where}",
        "{who} son todos unos pobres que solo conocen penas {where}",
    ),
    "economic": (
        "{who} {when} recogen la fruta que nadie quiere recoger {where}",
        "{who} sirven para trabajar y pagar impuestos {where}",
    ),
    "migration": (
        "{who} entran {when} sin control {where}",
        "ya no caben más de {who} {where} y habría que devolverlos",
        "{who} llegan {when} en oleadas {where}",
    ),
    "culture": (
        "{who} nunca se adaptan a las costumbres {where}",
        "{who} {when} quieren imponer sus fiestas y su religión {where}",
    ),
    "benefits": (
        "las ayudas son {when} para {who} {where}",
        "{who} se llevan {when} las becas y las plazas de guardería {where}",
    ),
    "health": (
        "{who} traen {when} la gripe y los contagios {where}",
        "con {who} hay más enfermos {where}",
    ),
    "security": (
        "con {who} ya no se puede pasear de noche {where}",
        "{who} {when} arman peleas y robos {where}",
        "por culpa de {who} hay más policía {where}",
    ),
    "dehumanisation": (
        "{who} llegan como una bandada y se posan {where}",
        "{who} son {when} como hormigas {where}",
    ),
    "others": (
        "{who} llevan {when} el baile en la sangre {where}",
        "{who} son todos unos soñadores {where}",
    ),
}  # fmt: skip
HINTED = {
    "migration": "qué casualidad, abren la frontera y {where} ya no queda sitio",
    "security": "qué casualidad, abren el albergue y {where} todos echan el cerrojo",
    "benefits": "algunos no han cotizado un día y {where} cobran {when}",
    "culture": "dentro de poco {where} nos dirán qué fiestas podemos celebrar",
}
PLAIN = (
    "el autobús pasa {when} a las ocho {where}",
    "mañana abren la biblioteca nueva {where}",
    "el ayuntamiento arregla {when} las farolas {where}",
    "no he leído la noticia entera, pero gracias por el enlace",
    "la piscina {where} abre en junio",
    "el periódico publica {when} las cuentas {where}",
    "han llegado doce familias y el colegio {where} abre otra aula",
    "la ley de acogida se vota el jueves {where}",
    "ayer hablé con {who} y me invitaron a cenar {where}",
    "no estoy de acuerdo con el comentario anterior",
)
ELSEWHERE = (
    "los jubilados {when} se cuelan en la panadería {where}",
    "los estudiantes no madrugan nunca {where}",
)

Row = dict[str, str]


def rows(count: int, rng: random.Random) -> list[Row]:
    """Make ``count`` sentences, in comments of one to five, some of them replies."""
    made: list[Row] = []
    comment = 0
    while len(made) < count:
        comment += 1
        parent = 1 + int(rng.random() * comment) if rng.random() < 0.4 else comment
        for place in range(1, 2 + int(rng.random() * 5)):
            text, labels = _sentence(rng)
            context = (str(comment), str(place), str(parent), text)
            made.append(
                dict(zip(CONTEXT, context, strict=True))
                | {name: str(int(name in labels)) for name in LABELS}
            )
    return made[:count]


def _pick(rng: random.Random, values: tuple[str, ...]) -> str:
    return values[int(rng.random() * len(values))]


def _category(rng: random.Random) -> str:
    drawn = rng.random() * sum(SHARES)
    for name, share in zip(CATEGORIES, SHARES, strict=True):
        drawn -= share
        if drawn < 0:
            return name
    return CATEGORIES[-1]


def _sentence(rng: random.Random) -> tuple[str, set[str]]:
    if rng.random() >= 0.26:
        other = rng.random() < 0.06
        return _finish(rng, _pick(rng, ELSEWHERE if other else PLAIN)), (
            {"other_target"} if other else set()
        )
    names = {_category(rng)} | ({_category(rng)} if rng.random() < 0.4 else set())
    labels = {"stereotype", "racial_target", *names}
    if len(names) == 1 and names <= set(HINTED) and rng.random() < 0.3:
        return _finish(rng, HINTED[next(iter(names))]), {*labels, "implicit"}
    clauses = [_pick(rng, SAID[name]) for name in CATEGORIES if name in names]
    return _finish(rng, " y además ".join(clauses)), labels


def _finish(rng: random.Random, template: str) -> str:
    filled = template.format(who=_pick(rng, WHO), where=_pick(rng, WHERE), when=_pick(rng, WHEN))
    return filled[0].upper() + filled[1:] + _pick(rng, (".", ".", "!", "…"))


def write(path: Path, made: list[Row], columns: tuple[str, ...]) -> None:
    """Write some columns of the rows."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(made)


def write_fixture(folder: Path, seed: int = 1) -> Path:
    """Write train.csv, test.csv and test_full.csv into the folder."""
    rng = random.Random(seed)
    train, test = rows(TRAIN, rng), rows(TEST, rng)
    write(folder / "train.csv", train, (*CONTEXT, *LABELS))
    write(folder / "test.csv", test, CONTEXT)
    write(folder / "test_full.csv", test, (*CONTEXT, *LABELS))
    return folder
