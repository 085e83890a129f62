"""The migration guide tells what the table does: every attribute, and how it is scored."""

from pathlib import Path

from tactful.service.perspective.mapping import attributes

GUIDE = Path(__file__).parents[3] / "docs" / "from-perspective.md"


def test_every_attribute_is_in_the_guide_as_the_table_has_it() -> None:
    rows: dict[str, str] = {}
    text = GUIDE.read_text(encoding="utf-8")
    lines = text.splitlines()
    for line in text[text.index("## Attributes that are scored") :].splitlines():
        if line.startswith("| `"):
            rows.setdefault(line.split("|")[1].strip(" `"), line)
    for name, row in attributes().items():
        line = rows[name]
        if row.own and not row.same_as:
            assert any(line.startswith(f"| `{name}` | `{row.own}` |") for line in lines)
        if not row.ids:
            assert f"`{row.nearest}`" in line
        elif row.same_as:
            assert f"`{row.same_as}`" in line
        else:
            assert all(f"`{each}`" in line for each in row.ids.values())
