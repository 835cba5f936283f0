"""Imports point one way (docs/architecture.md): the table of which part may know which."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "ashe"

# Every part and all it may import, besides its own modules. A new part gets a line; a line gets longer only if nothing
# on the way back to it is touched (`test_the_table_has_no_circle`).
BASE = {"errors", "cachedir", "cli", "jit", "assets"}
TABLE = {
    "errors": set(),
    "interrupt": set(),
    "cachedir": {"errors"},
    "assets": {"errors"},
    "cli": {"errors", "cachedir"},
    "jit": {"errors", "cachedir"},
    "cards": BASE,
    "game": BASE | {"cards"},
    "opponents": BASE | {"cards", "game"},
    "trees": BASE | {"cards", "game"},
    "decision": BASE | {"cards", "game", "opponents", "trees", "estimators", "ticks"},
    # Players load agents by name, when one is asked for, and so do not import them.
    "players": BASE | {"cards", "game", "opponents"},
    "evaluation": BASE | {"cards", "game", "opponents", "players", "trees"},
    # Evolution knows tensors and a fitness callable, estimators know tensors: both are tested without a card.
    "estimators": BASE,
    "evolution": BASE,
    "ticks": set(),
    "agents": BASE
    | {"cards", "game", "opponents", "trees", "decision", "players", "evaluation", "estimators", "evolution", "ticks"},
    "exploit": BASE | {"cards", "game", "opponents", "players", "evaluation"},
    "solver": BASE | {"cards", "game", "opponents", "players", "evaluation", "exploit", "evolution"},
    "slumbot": BASE | {"cards", "game", "players", "evaluation", "evolution"},
    # Reports read results; they do not play, train or solve.
    "reports": BASE | {"evaluation", "trees"},
}


def part_of(file: Path) -> str:
    inside = file.relative_to(ROOT).parts
    return inside[0] if len(inside) > 1 else file.stem


def imports(file: Path) -> set[str]:
    """Parts of ashe that a file imports, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import; write it out"
            module = node.module or ""
            names = [f"ashe.{alias.name}" for alias in node.names] if module == "ashe" else [module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("ashe.")}
    return found - {part_of(file)}


FILES = sorted(ROOT.rglob("*.py"))
COMMANDS = {f.stem for f in FILES if f.parent == ROOT and f.stem not in TABLE and f.stem != "__init__"}
PARTS = {part_of(f) for f in FILES} - {"__init__"}


def test_every_part_is_in_the_table():
    """What is in the package's root and not in the table is a command line: it has a main()."""
    folders = {f.name for f in ROOT.iterdir() if f.is_dir() and any(f.glob("*.py"))}
    assert folders <= set(TABLE), "give the new part a line in the table"
    assert set(TABLE) <= PARTS, "these lines are of parts that are gone"
    for name in COMMANDS:
        assert "\ndef main(" in (ROOT / f"{name}.py").read_text(), f"{name} is neither a command nor in the table"


@pytest.mark.parametrize("part", sorted(TABLE))
def test_imports_follow_the_table(part):
    for file in FILES:
        if part_of(file) == part:
            assert imports(file) <= TABLE[part], file.relative_to(ROOT)


def test_nothing_imports_a_command():
    """Commands stand at the end of every line; one command may start another."""
    for file in FILES:
        if part_of(file) not in COMMANDS:
            assert not imports(file) & COMMANDS, file.relative_to(ROOT)


def test_the_table_has_no_circle():
    open_parts = dict(TABLE)
    while open_parts:
        free = [part for part, needs in open_parts.items() if not needs & set(open_parts)]
        assert free, f"a circle among {sorted(open_parts)}"
        for part in free:
            del open_parts[part]
