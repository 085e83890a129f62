"""Sentences of Spanish: opening marks, abbreviations, numbers, dots, quotations and dashes."""

import pytest

from tactful.documents.segments import sentences, windows

CASES = [
    # Opening marks.
    ["¿Quién llama?", "Nadie."],
    ["¡Qué día!", "¿Salimos?", "Sí."],
    ["Y entonces, ¿qué hacemos?", "Esperar."],
    ["Pero ¡qué tarde es!", "Vámonos."],
    ["¿¡Cómo!?", "No lo creo."],
    ["¡¡¡Por fin!!!", "Ya llegó el tren."],
    ["¿Vienes o te quedas?", "¿Y tu hermana?"],
    ["Dime: ¿te gusta?", "A mí mucho."],
    ["¡Hola!, dijo la vecina.", "Nadie contestó."],
    ["¿Vendrá?, preguntó Ana.", "Quizá."],
    # Titles and forms of address.
    ["El Sr. Pérez vive aquí.", "Su casa es azul."],
    ["La Sra. Ruiz y la Srta. Gil llegaron.", "Era lunes."],
    ["Los Sres. García firmaron.", "Las Sras. Díaz también."],
    ["Llamó al Dr. Soto y a la Dra. Vega.", "Nadie respondió."],
    ["D. Luis y D.ª Carmen bailan.", "La sala aplaude."],
    ["Dña. Elena abrió la puerta.", "Hacía frío."],
    ["El Excmo. Sr. Alcalde saludó.", "La Excma. Sra. Ministra no vino."],
    ["El Ilmo. Sr. Decano habló.", "Todos escucharon."],
    ["Ud. sabe más.", "Uds. también.", "Vds. no."],
    ["La Prof. Marín explica.", "El Lic. Rojas escucha."],
    ["El Gral. Prim tiene una plaza.", "El Cnel. Ríos no."],
    ["Sta. Marta y Sto. Tomé son pueblos.", "El Ing. Vidal los conoce."],
    ["El Arq. Moya hizo el plano.", "La Arqta. Sanz lo firmó."],
    # Countries, companies, initials.
    ["Vive en EE. UU. desde 2010.", "Trabaja mucho."],
    ["Viajó a EE. UU. y volvió.", "Estaba cansado."],
    ["Vive en EE. UU.", "El resto se quedó."],
    ["Los JJ. OO. de Barcelona gustaron.", "Fueron en 1992."],
    ["Trabaja en Hilados del Sur S.A. desde joven.", "Le gusta."],
    ["La empresa Telas S. A. cerró.", "La otra, S. L., sigue."],
    ["Compró acciones de Pan y Sal, S.A.", "Luego las vendió."],
    ["Los RR. HH. de la casa deciden.", "Nosotros no."],
    ["Las CC. AA. aprobaron el plan.", "El gobierno lo firmó."],
    ["Leyó a J. L. Borges.", "Le gustó."],
    ["María J. Castro y P. Núñez ganaron.", "Hubo fiesta."],
    ["Vino del s. XIX.", "Es muy viejo."],
    ["Nació en el año 20 a. C. y murió después.", "Fue poeta."],
    ["Murió en el 14 d. C. en su casa.", "Nadie lo supo."],
    # Works, laws, places in a text.
    ["Según el art. 14, todos somos iguales.", "Léelo."],
    ["Véanse los arts. 3 y 4.", "Son cortos."],
    ["La plaza Mayor, núm. 5, está cerca.", "Ven."],
    ["Lea las págs. 10 y 11.", "Luego descanse."],
    ["Está en la pág. 7.", "Búscalo."],
    ["El arte gusta.", "El art. 5, no."],
    ["Véase cap. 2 y fig. 3.", "Son claros."],
    ["El tel. 555 no contesta.", "Llame a otro."],
    ["La avda. Sur está cortada.", "La pza. Nueva no."],
    ["Vive en la Avda. Libertad.", "Yo no."],
    ["Vive en C. Mayor, n.º 3, 2.º izda.", "Suba sin llamar."],
    ["El párr. 2 y el apdo. 3 cambian.", "El resto no."],
    ["La Ley 3/2010, disp. adic. 4, lo dice.", "Es clara."],
    ["Hay frutas, p. ej. peras.", "También hay pan."],
    ["Trajo pan, leche, etc. para todos.", "Comimos bien."],
    ["Trajo pan, leche, etc.", "Después comimos."],
    ["Cf. Soto et al. 2010 para más datos.", "Es un libro largo."],
    ["El máx. es 40 y el mín. 12.", "Mucho calor."],
    ["El piso es un 2.º dcho.", "El ascensor no sube."],
    # Hours, ordinals, numbers.
    ["Abre a las 9 a. m. y cierra a las 5 p. m. cada día.", "Los lunes no."],
    ["Abre a las 9 a.m. todos los días.", "Cierra a las 5 p.m.", "Los lunes no abre."],
    ["Cierra a las 5 p. m.", "Los lunes no abre."],
    ["Vive en el 1.º izquierda.", "Yo en el 3.ª."],
    ["El 1.er piso es mío.", "El 3.er piso no."],
    ["El 2.º Premio fue para Ana.", "El 1.º fue para Luis."],
    ["Los n.os 3 y 4 faltan.", "El resto no."],
    ["Cuesta 3.500,25 euros.", "Es caro."],
    ["Son 1.200.000 personas.", "Muchas viven lejos."],
    ["La versión 2.0 ya salió.", "Pruébala."],
    ["Nació en 1990.", "Estudió en Vigo."],
    ["Subió un 3,5 %.", "Nadie lo esperaba."],
    ["1. Lávate las manos.", "2. Come despacio."],
    ["Eran las 10.30 de la noche.", "Todos dormían."],
    # Dots that leave open, and those that end.
    ["Bueno... no sé.", "Quizás..."],
    ["No sé…", "Mañana lo veré."],
    ["Pues… ¿qué quieres?", "Nada."],
    ["Pan, queso, vino...", "Todo estaba listo."],
    ["Y... ya está.", "Fin."],
    # Quotations and dashes.
    ["«Ven pronto.»", "Eso dijo."],
    ["Dijo: «No quiero».", "Luego se fue."],
    ["«¿Por qué?», preguntó.", "Nadie habló."],
    ["«¡Basta!» gritó la madre.", "Hubo silencio."],
    ["“Ya voy.”", "Y no vino."],
    ["—¿Vienes? —preguntó Luis.", "—No puedo."],
    ["—Ya está —dijo Ana—.", "Vámonos."],
    ["—¡Cuidado! —gritó el guarda.", "Era tarde."],
    ["Llegó tarde —como siempre—.", "Nadie se extrañó."],
    ["—Hola.", "—Buenos días."],
    ["(Era domingo.)", "No había nadie."],
    ["Vino (¿cuándo?) y se fue.", "Así es él."],
    # Comments in a hurry.
    ["¡no lo creo!", "¿otra vez?", "ya basta."],
    ["Ya.", "Claro.", "Por supuesto."],
    ["No.", "No quiero.", "Él sí."],
    ["Eso dice el director gral. de la casa.", "Yo no lo creo."],
    ["Ganó el no.", "Perdió el sí."],
    ["Son ideas de D. Antonio.", "A mí me gustan."],
]


@pytest.mark.parametrize("expected", CASES, ids=range(len(CASES)))
def test_sentences_of_spanish(expected: list[str]) -> None:
    text = " ".join(expected)
    assert [text[start:end] for start, end in sentences(text)] == expected


def test_there_are_enough_pairs() -> None:
    assert sum(len(expected) > 1 for expected in CASES) >= 60


@pytest.mark.parametrize(
    "text", ["—" * 100_000, "¿" * 100_000, "EE. UU. " * 30_000, "—¿a? " * 30_000]
)
def test_many_marks_stay_fast(text: str) -> None:
    assert windows(text)
