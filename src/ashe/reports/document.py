"""A report is a list of blocks (text, tables, figures) that becomes terminal text, Markdown and one HTML page."""

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ashe.cli import write_atomic


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Table:
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Figure:
    name: str  # file name without ending
    caption: str
    png: bytes


Block = Text | Table | Figure

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 2px solid #888; }
.note, figcaption { color: #555; font-size: .9rem; }
figure { margin: 1.5rem 0; } img { max-width: 100%; }
.scroll { overflow-x: auto; }
"""


@dataclass
class Report:
    title: str
    command: str  # what makes this report
    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block) -> None:
        self.blocks += blocks

    def as_text(self) -> str:
        """For the terminal."""
        parts = [self.title, "=" * len(self.title)]
        for block in self.blocks:
            if isinstance(block, Text):
                parts.append(block.text)
            elif isinstance(block, Table):
                parts.append(table_text(block))
            else:
                parts.append(f"[figure {block.name}.png: {block.caption}]")
        return "\n\n".join(parts) + "\n"

    def as_markdown(self) -> str:
        parts = [f"# {self.title}", f"Made by `{self.command}`."]
        for block in self.blocks:
            if isinstance(block, Text):
                parts.append(block.text)
            elif isinstance(block, Table):
                lines = [f"## {block.title}", "", _row(block.header), _row(["---"] * len(block.header))]
                lines += [_row(row) for row in block.rows]
                parts.append("\n".join(lines) + (f"\n\n{block.note}" if block.note else ""))
            else:
                parts.append(f"![{block.caption}]({block.name}.png)\n\n{block.caption}")
        return "\n\n".join(parts) + "\n"

    def as_html(self) -> str:
        """One page that needs no other file."""
        e = html.escape
        parts = []
        for block in self.blocks:
            if isinstance(block, Text):
                parts.append(f"<p>{e(block.text)}</p>")
            elif isinstance(block, Table):
                head = "".join(f"<th>{e(cell)}</th>" for cell in block.header)
                body = "".join("<tr>" + "".join(f"<td>{e(c)}</td>" for c in row) + "</tr>" for row in block.rows)
                parts.append(
                    f"<h2>{e(block.title)}</h2><div class=scroll><table><thead><tr>{head}</tr></thead>"
                    f"<tbody>{body}</tbody></table></div><p class=note>{e(block.note)}</p>"
                )
            else:
                data = base64.b64encode(block.png).decode()
                parts.append(
                    f'<figure><img alt="{e(block.caption)}" src="data:image/png;base64,{data}">'
                    f"<figcaption>{e(block.caption)}</figcaption></figure>"
                )
        return (
            f"<!doctype html><html lang=en><meta charset=utf-8><title>{e(self.title)}</title>"
            f'<meta name=viewport content="width=device-width"><style>{STYLE}</style>'
            f"<h1>{e(self.title)}</h1><p class=note>Made by <code>{e(self.command)}</code>.</p>"
            f"{''.join(parts)}</html>\n"
        )

    def save(self, folder: Path) -> None:
        """report.md, report.html and the figures."""
        folder.mkdir(parents=True, exist_ok=True)
        for block in self.blocks:
            if isinstance(block, Figure):
                write_atomic(folder / f"{block.name}.png", block.png)
        write_atomic(folder / "report.md", self.as_markdown())
        write_atomic(folder / "report.html", self.as_html())


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def table_text(table: Table) -> str:
    """Columns aligned: the first to the left, numbers to the right."""
    rows = [list(table.header), *(list(row) for row in table.rows)]
    width = [max(len(row[k]) for row in rows) for k in range(len(table.header))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(width[0]), *(cell.rjust(w) for cell, w in zip(row[1:], width[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join([table.title, *lines, *([table.note] if table.note else [])])
