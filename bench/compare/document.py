"""Markdown: tables, and the part of a page between two marks."""

import pathlib


def table(header, rows):
    """Columns whose name begins with ">" are right-aligned."""
    lines = ["| " + " | ".join(name.lstrip(">") for name in header) + " |",
             "|" + "|".join("---:" if name.startswith(">") else "---" for name in header) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def replace_between(path, mark, text, heading):
    """Puts `text` between `<!-- mark:begin -->` and `<!-- mark:end -->`; without marks, at the end under `heading`."""
    path = pathlib.Path(path)
    page = path.read_text()
    begin, end = f"<!-- {mark}:begin -->", f"<!-- {mark}:end -->"
    if begin not in page:
        page = f"{page.rstrip()}\n\n{heading}\n\n{begin}\n{end}\n"
    before, rest = page.split(begin, 1)
    if end not in rest:
        raise ValueError(f"{path}: {begin} without {end}")
    after = rest.split(end, 1)[1]
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")
