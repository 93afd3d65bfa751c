"""Tests of the notebooks: each runs from its first cell to its last, in a folder of its own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))

# Most seconds that a cell may take; a whole notebook takes less than 30 on an idle machine.
CELL_SECONDS = 120


def code(notebook: Path) -> str:
    """The code of all cells."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def imported(notebook: Path) -> set[str]:
    """Names of the packages that a notebook imports."""
    return {name.split(".")[0] for name in re.findall(r"^(?:import|from) ([\w.]+)", code(notebook), re.MULTILINE)}


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 5


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_outputs_are_stored(notebook: Path) -> None:
    content = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert notebook.stat().st_size < 20_000
    assert all(len(line) <= 120 for line in code(notebook).splitlines())
    assert "assert " in code(notebook)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_to_its_end(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    for package in ("ipykernel", *sorted(imported(notebook))):
        pytest.importorskip(package)
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
        folder = tmp_path / variable.lower()
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
    content = nbformat.read(notebook, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(content, timeout=CELL_SECONDS, kernel_name="python3", resources=resources).execute()
    assert all(cell["execution_count"] for cell in content["cells"] if cell["cell_type"] == "code")
    nbformat.write(content, tmp_path / notebook.name)
