"""What the bare installation must be able to do: commands, and a part of what they print."""

CORE_COMMANDS: list[tuple[tuple[str, ...], str]] = [
    (("--help",), "Find patronizing"),
    (("check", "--no-config", "--text", "Even these poor souls can learn to hope."), "patronizing"),
    (("check", "--no-config", "letter.md", "--output", "report.html"), "Wrote report.html"),
    (("check", "--no-config", "--model", "open-fast", "--explain", "letter.md"), "passage"),
    (("rewrite", "--no-config", "--text", "He is confined to a wheelchair."), "wheelchair"),
    (("frame", "--text", "We shouldn't lower our standards to hire more women."), "women"),
    (("frame", "posts.csv", "--format", "jsonl"), '"line": 2'),
    (("score", "posts.csv", "-o", "scored.csv"), ""),
    (("score", "posts.csv", "-o", "scored.tsv.gz", "--model", "open-fast", "--dedupe"), ""),
    (("score", "posts.jsonl", "-o", "scored.jsonl", "--report", "overview.html"), ""),
    (("score", "letter.md", "--input-format", "txt", "-o", "-"), ",model,error"),
    (("taxonomy", "show", "pcl"), "pcl.compassion"),
    (("doctor",), "problems         none"),
    (("completion", "bash"), "tactful"),
]
"""They run one after the other in a folder with :func:`files`."""

MISSING_EXTRAS: list[tuple[tuple[str, ...], str]] = [
    (("score", "posts.csv", "-o", "scored.parquet"), "tables"),
    (("score", "posts.csv", "-o", "where.csv", "--where", "id > 1"), "tables"),
    (("score", "posts.csv", "-o", "by.csv", "--by", "id"), "tables"),
    (("score", "posts.csv", "-o", "top.csv", "--top", "1"), "tables"),
    (("score", "posts.jsonl", "-o", "table.csv"), "tables"),
    (("corpus", "list"), "tables"),
    (("agreement", "posts.csv"), "tables"),
    (("aggregate", "posts.csv"), "tables"),
]
"""Commands that answer with the extra to install."""


def files() -> dict[str, str]:
    """Return the files that the commands read."""
    first = "Even these poor souls can learn to hope."
    second = "The bridge, which is new, opens today."
    return {
        "letter.md": f"# A letter\n\n{first}\n\n{second}\n",
        "posts.csv": f'id,text\n1,{first}\n2,"{second}"\n',
        "posts.jsonl": f'{{"text": "{first}"}}\n{{"id": 2, "text": "{second}"}}\n',
    }
