"""Explanations and reports in Spanish: impersonal, so that nobody is called tú or usted.

The words of a scale agree with the noun before them (seguridad, certeza, confianza), and sentences
around quotations are built so that one or several of them fit.
"""

import re
from collections.abc import Sequence

from tactful.checking.wording import Count, Explaining, Page, Reporting, Rules, Wording

_TIED = "\N{NO-BREAK SPACE}"
_THIN = "\N{NARROW NO-BREAK SPACE}"
# "Y" turns into "e" before the sound of i, but not before a diphthong (hielo, iones).
_SOUNDS_LIKE_I = re.compile(r"\W*h?[ií](?![aeouáéóú])", re.IGNORECASE)


def _number(number: int) -> str:
    # The Academy groups from five digits on, with a space (Ortografía de 2010, VIII, 2.2.1).
    return f"{number:,}".replace(",", _THIN) if number >= 10_000 else str(number)


def _likely(probability: float) -> str:
    return SPANISH.percent(probability, _TIED)


def _joined(marked: Sequence[str]) -> str:
    if len(marked) == 1:
        return marked[0]
    conjunction = "e" if _SOUNDS_LIKE_I.match(marked[-1]) else "y"
    return f"{', '.join(marked[:-1])} {conjunction} {marked[-1]}"


SPANISH = Wording(
    lang="es",
    quotes=("«", "»"),
    under="menos del 1",
    over="más del 99",
    number=_number,
    likely=_likely,
    joined=_joined,
    explaining=Explaining(
        sureness=(
            "casi total",
            "muy alta",
            "bastante alta",
            "algo más que media",
            "escasa",
            "muy escasa",
        ),
        sure=(
            "Seguridad de Tactful: {sure} ({percent}).",
            "Aquí la certeza es {sure} ({percent}).",
            "Una lectura de confianza {sure} ({percent}).",
            "¿Qué certeza hay? {Sure} ({percent}).",
        ),
        carried=(
            "Se apoya en {quotes}.",
            "Sobre todo por {quotes}.",
            "Se percibe en {quotes}.",
            "Conviene fijarse en {quotes}.",
        ),
        whole=(
            "Ninguna palabra sola lo explica.",
            "Está en el conjunto.",
            "Ninguna parte destaca.",
            "Lo transmite el texto entero.",
        ),
        ask=(
            "Preguntas que ayudan: {questions}",
            "Vale la pena preguntarse: {questions}",
            "Para comprobarlo: {questions}",
            "Antes de decidir: {questions}",
        ),
        unless=(
            "No es así cuando {clause}.",
            "Puede ignorarse cuando {clause}.",
            "Es falsa alarma cuando {clause}.",
            "Cabe descartarlo cuando {clause}.",
        ),
        or_when=", o cuando ",
        unknown="El detector lo llama «{name}».",
        experimental="Es un experimento: no se aprendió con textos en este idioma.",
        these_words="Las palabras {quotes}",
        this_sentence="La frase",
        implied="parece{ending} dar a entender: {statement}.",
        implied_about="parece{ending} dar a entender, sobre {group}: {statement}.",
        tried="Es una lectura experimental.",
    ),
    reporting=Reporting(
        finding=Count("{n} hallazgo", "{n} hallazgos", "ningún hallazgo"),
        passage=Count("{n} pasaje", "{n} pasajes", "ningún pasaje"),
        document=Count("{n} documento", "{n} documentos", "ningún documento"),
        silenced=Count(
            "{n} silenciado con «tactful: ignore»",
            "{n} silenciados con «tactful: ignore»",
            "ninguno silenciado con «tactful: ignore»",
        ),
        silenced_here=Count(
            "{n} silenciado en el texto", "{n} silenciados en el texto", "ninguno silenciado"
        ),
        quoted=Count("{n} solo citado", "{n} solo citados", "ninguno citado"),
        in_quotation="citado",
        known=Count(
            "{n} conocido por la línea base",
            "{n} conocidos por la línea base",
            "ninguno conocido por la línea base",
        ),
        unchanged=Count(*["{n} fuera de las líneas cambiadas"] * 3),
        unchecked=Count(
            "{n} pasaje en otro idioma sin revisar",
            "{n} pasajes en otro idioma sin revisar",
            "ningún pasaje en otro idioma",
        ),
        unread=Count(
            "{n} documento no se pudo revisar",
            "{n} documentos no se pudieron revisar",
            "ningún documento quedó sin revisar",
        ),
        found_in="{findings} en {passages}",
        of_documents="({some} de {all} documentos)",
        likelihoods=(
            "casi seguro",
            "muy probable",
            "probable",
            "más bien probable",
            "posible",
            "dudoso",
        ),
        text="texto",
        all_scores="todas las puntuaciones",
        carried="Se apoya en {quotes}.",
        carried_by_all="Se apoya en el pasaje entero.",
        instead="En su lugar: {quotes}.",
        instead_of="En lugar de {words}: {quotes}.",
        short={"pcl": "paternalista", "stereotype.others": "de otro tipo"},
        families={
            "pcl": Count("{n} paternalista", "{n} paternalistas", "ninguno paternalista"),
            "unhealthy": Count("{n} poco sano", "{n} poco sanos", "ninguno poco sano"),
            "frame": Count("{n} ofensivo", "{n} ofensivos", "ninguno ofensivo"),
            "stereotype": Count("{n} estereotipo", "{n} estereotipos", "ningún estereotipo"),
            "toxicity": Count("{n} tóxico", "{n} tóxicos", "ninguno tóxico"),
            "term": Count("{n} término", "{n} términos", "ningún término"),
        },
        also="; también {kinds}",
        caveat=(
            "Lo que se puede entender al leer estas palabras; no lo que cree quien las escribió, "
            "ni lo que es verdad."
        ),
        implies="Puede dar a entender, sobre {group}: {statement}{sure}.",
        about="Puede tratar de {group}{sure}.",
        in_group=(
            "Quien escribe puede hablar como parte del grupo{sure}; es una suposición en la que "
            "tampoco las personas suelen coincidir, y puede cambiar el sentido de las palabras."
        ),
        evidence="Se desprende de {quotes}.",
    ),
    page=Page(
        skip="Ir al texto",
        heading="Lo que dan a entender estos documentos",
        a_text="Un texto",
        the_text="El texto",
        empty="No contiene ningún texto que revisar.",
        colours="Colores",
        documents="Documentos",
        note_label="Cómo leer esta página",
        note_head="Decide una persona.",
        note=(
            "Un modelo ha marcado estos pasajes; puede equivocarse, y no conoce ni a quien escribe "
            "ni a quien lee. El número dice con cuánta seguridad lo señala (a partir del 50 % se "
            "informa), no lo grave que es. "
            "Conviene tomar cada marca como una pregunta y dejar como está lo que está bien. Que "
            "un pasaje no tenga marca no significa que sea justo."
        ),
        not_checked="Sin revisar.",
        line="línea {line}",
        link="Hallazgo {number}: {name}",
        sure="seguridad: {confidence}; probabilidad: {probability}",
        clean=Count(
            "{n} documento sin hallazgos",
            "{n} documentos sin hallazgos",
            "ningún documento sin hallazgos",
        ),
        why="Por qué, y qué preguntas ayudan",
        about="Sobre el detector: {model}",
        limits="Lo que no puede hacer",
        not_for="Para lo que no se debe usar",
        looked_for="Se ha buscado: {ids}. Licencia de los pesos: {licence}.",
        colophon=(
            "Hecho por Tactful {version}, sin conexión. Esta página no contiene ningún programa y "
            "no pide nada a la red."
        ),
        kinds={
            "plain": "texto sin formato",
            "markdown": "Markdown",
            "html": "HTML",
            "rst": "reStructuredText",
            "subtitles": "subtítulos",
            "notebook": "cuaderno",
            "docx": "Word",
        },
    ),
    rules=Rules(
        folder="La carpeta en la que se hizo la revisión.",
        ask="Una pregunta que ayuda: {question}",
        example="Por ejemplo: {example}",
        not_this="No es esto: {sentences}",
        source="Fuente: {title} ({venue}).",
        caution="Un detector puede equivocarse: decide una persona.",
        more="Más palabras en las que se apoya el hallazgo.",
    ),
)
