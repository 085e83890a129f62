"""Texts for the measurements of speed: made ones of 45 words, and a real mix where it is there."""

import os
import random
from pathlib import Path

SEED = 1
WORDS_EACH = 45

SHARE_OF_COMMON = 0.55
"""How often a word is one of the short common ones, as about half of running English is."""
_COMMON = """
the of and to a in that it is was for on with as be at by this had not are but from or have an
they which one you were all her she there would their we him been has when who will no more if out
so up said what its about than into them can only other time new some could these two may first
then do any like my now over such our man me even most made after also did many off before must
well back through years where much your way down should because long each just those people how
too little state good very make world still see own work life get here day never
"""
_RARER = """
help school town road garden river market letter paper window winter summer music story family
neighbour teacher doctor farmer driver reader writer council station library hospital bridge
village office kitchen table number report answer question support offer visit travel repair
measure collect return remember explain wonder gather follow protect improve develop discuss
suggest consider borrow belong depend manage matter reason season signal picture corner evening
morning holiday journey concert blanket pocket ladder candle basket harbour island meadow orchard
saddle thread
"""
_ENDINGS = ("", "", "s")


def made_texts(count: int, words: int = WORDS_EACH, seed: int = SEED) -> list[str]:
    """Return texts of ``words`` words, with capitals, commas and full stops; the same each time."""
    rng, common, rarer = random.Random(seed), _COMMON.split(), _RARER.split()
    return [_made_text(rng, common, rarer, words) for _ in range(count)]


def _made_text(rng: random.Random, common: list[str], rarer: list[str], words: int) -> str:
    found: list[str] = []
    starts = True
    for at in range(words):
        word = (
            rng.choice(common)
            if rng.random() < SHARE_OF_COMMON
            else rng.choice(rarer) + rng.choice(_ENDINGS)
        )
        ends = at == words - 1 or rng.random() < 1 / 15
        mark = "." if ends else ("," if rng.random() < 1 / 12 else "")
        found.append((word.capitalize() if starts else word) + mark)
        starts = ends
    return " ".join(found)


def real_texts(count: int, seed: int = SEED) -> list[str]:
    """Return comments of UCC and paragraphs of DPM, half each, or nothing where they are absent."""
    root = os.environ.get("TACTFUL_DATA")
    if not root:
        return []
    folders = Path(root) / "unhealthy_comments", Path(root) / "dont_patronize_me"
    if not all(folder.is_dir() for folder in folders):
        return []
    from tactful.corpora import load_corpus

    comments = load_corpus("ucc", folders[0] / "val.csv").read("comments")
    paragraphs = load_corpus("dpm", folders[1]).read("paragraphs")
    rng = random.Random(seed)
    half = count // 2
    texts: list[str] = rng.sample([text for text in comments["comment"] if text], half)
    texts += rng.sample([text for text in paragraphs["text"] if text], half)
    rng.shuffle(texts)
    return texts
