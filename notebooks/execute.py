"""`python notebooks/execute.py NOTEBOOK ... [--check]`: run the code cells from top to bottom and store what they print
and draw; with --check nothing is written, and a notebook whose cells have never been run is an error.

Needs nothing but matplotlib: cells use print and pyplot, as they would anywhere.
"""

import argparse
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[1]


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(True)}


def figures():
    """The open figures as outputs; closes them."""
    found = []
    for number in plt.get_fignums():
        buffer = io.BytesIO()
        plt.figure(number).savefig(buffer, format="png", dpi=80)
        png = base64.b64encode(buffer.getvalue()).decode()
        found.append({"output_type": "display_data", "metadata": {}, "data": {"image/png": png}})
    plt.close("all")
    return found


def execute(notebook):
    """Run a notebook's code cells in one namespace, their outputs into the cells; an error names its cell."""
    namespace = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        source, printed = "".join(cell["source"]), io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(source, f"cell {count}", "exec"), namespace)
            except BaseException as error:
                error.add_note(f"in code cell {count}:\n{source}")
                raise
        text = printed.getvalue()
        cell["outputs"] = ([stream(text)] if text else []) + figures()
        cell["execution_count"] = count


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("notebooks", nargs="+", type=Path)
    p.add_argument("--check", action="store_true", help="write nothing")
    args = p.parse_args()
    for path in [path.resolve() for path in args.notebooks]:
        notebook = json.loads(path.read_text())
        if args.check and any(c["cell_type"] == "code" and not c["execution_count"] for c in notebook["cells"]):
            sys.exit(f"{path.name} was never executed; run: python notebooks/execute.py notebooks/{path.name}")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # what a notebook writes goes away
            execute(notebook)
            os.chdir(ROOT)
        if not args.check:
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
        print(f"{path.name}: {sum(c['cell_type'] == 'code' for c in notebook['cells'])} cells")


if __name__ == "__main__":
    main()
