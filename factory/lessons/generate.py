"""Write the lessons that a program fills in: groups in headings and everyday sentences.

``python -m factory.lessons.generate`` writes ``english/neutral-generated.yaml``, always the same.
"""

from pathlib import Path

import yaml

from factory.lessons.load import FOLDER

FILE = FOLDER / "english" / "neutral-generated.yaml"
EACH = 5
"""How many sentences name each group."""
GROUPS = (
    "women", "men", "girls", "boys", "mothers", "fathers", "grandparents", "teenagers",
    "pensioners", "widows", "single parents", "children in care", "orphans", "twins",
    "left-handed people", "gay men", "lesbians", "bisexual people", "trans women", "trans men",
    "non-binary people", "intersex people", "same-sex couples", "Black people", "white people",
    "Asian people", "mixed-race families", "African Americans", "Latinos", "Native Americans",
    "Aboriginal Australians", "Māori", "Inuit", "Roma", "Irish Travellers", "Jews", "Muslims",
    "Christians", "Catholics", "Protestants", "Hindus", "Sikhs", "Buddhists", "Jains", "Mormons",
    "Quakers", "atheists", "Orthodox Jews", "Shia Muslims", "Arabs", "Kurds", "Palestinians",
    "Israelis", "Turks", "Iranians", "Iraqis", "Syrians", "Afghans", "Pakistanis", "Indians",
    "Bangladeshis", "Nepalis", "Tamils", "Chinese people", "Japanese people", "Koreans",
    "Vietnamese people", "Filipinos", "Indonesians", "Russians", "Ukrainians", "Poles",
    "Romanians", "Bulgarians", "Albanians", "Serbs", "Greeks", "Italians", "Spaniards",
    "Portuguese people", "Germans", "French people", "Dutch people", "Swedes", "Scots",
    "Americans", "Canadians", "Mexicans", "Cubans", "Haitians", "Jamaicans", "Brazilians",
    "Colombians", "Venezuelans", "Nigerians", "Ghanaians", "Somalis", "Ethiopians", "Eritreans",
    "Sudanese people", "Congolese people", "Moroccans", "Algerians", "Egyptians",
    "South Africans", "immigrants", "refugees", "asylum seekers", "undocumented workers",
    "foreign students", "homeless people", "rough sleepers", "unemployed people",
    "people on benefits", "poor families", "rich people", "farm workers", "cleaners",
    "sex workers", "prisoners", "former prisoners", "drug users", "recovering alcoholics",
    "smokers", "blind people", "deaf people", "wheelchair users", "people with Down syndrome",
    "autistic people", "people with dyslexia", "people with epilepsy",
    "people with schizophrenia", "people with depression", "people with dementia",
    "people with HIV", "cancer patients", "diabetics", "amputees", "people of short stature",
    "fat people", "thin people", "bald men", "redheads", "veterans", "vegans", "feminists",
    "conservatives", "liberals", "communists", "trade unionists",
)  # fmt: skip
PATTERNS = (
    "{Group}: facts and figures",
    "The survey asked 300 {group} about their journey to work.",
    "Two {group} were waiting for the bus.",
    "{Group} in the census of 2021",
    "My street has bakers, {group} and a very loud parrot.",
    "The museum's new room is about {group} and their letters.",
    "Among the guests were several {group} and the man who repairs the organ.",
    "See also: {group}",
    "The library has eleven books about {group}.",
    "How many {group} live in the county?",
    "The bill was supported by farmers, teachers and {group}.",
    "Programme for {group}, Thursday, 10 to 12",
    "A photographer spent a year with {group} on the coast.",
    "{Group} may apply until 31 May.",
    "I share an allotment with some {group}; the beans are doing well.",
    "Half of the choir are {group}.",
    "The study followed {group} for ten years.",
    "The film shows {group} at work, at home and at the seaside.",
    "For {group}, the fare is the same.",
    "She wrote her thesis on {group} in the nineteenth century.",
    "A meeting of {group} and shopkeepers was held at the town hall.",
    "Chapter 3: {Group}",
    "The radio play is about two {group} who open a garage.",
    "On the train I sat opposite three {group} who were playing cards.",
    "The clinic has seen more {group} since it moved to the station.",
    "Question 9: do you know any {group}?",
    "{Group} of the region and their songs",
    "The leaflet for {group} is out of print.",
    "He used to teach {group} to swim.",
    "Tickets for {group} and everybody else cost £4.",
    "Our neighbours are {group}, and they have a trampoline.",
)


def sentences() -> list[str]:
    """Return every group in some of the patterns, each pattern in turn."""
    found, turn = [], 0
    for group in GROUPS:
        for _ in range(EACH):
            pattern = PATTERNS[turn % len(PATTERNS)]
            found.append(pattern.format(group=group, Group=group[0].upper() + group[1:]))
            turn += 1
    return found


def document() -> str:
    """Return the file's text."""
    head = {
        "prompt": "Headings and everyday sentences with the name of a group filled in.",
        "kind": "neutral",
        "licence": "CC0-1.0",
        "part": "train",
        "generated": True,
        "labels": dict.fromkeys(
            ("pcl", "unhealthy", "frame.offensive", "toxicity", "stereotype"), 0
        ),
        "items": sentences(),
    }
    return yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=100)


def write(path: Path = FILE) -> None:
    """Write the file."""
    path.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    write()
