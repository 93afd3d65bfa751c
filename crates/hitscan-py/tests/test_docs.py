"""Tests of the documentation: its examples run and print what the pages show, and it names everything public.

`mkdocs build --strict` in the root of the repository checks the site itself: links, anchors, the menu, foreign hosts.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import hitscan
import hitscan.dask
import hitscan.open3d
import hitscan.trimesh

DOCS = Path(__file__).resolve().parents[3] / "docs" / "python"
PAGES = sorted(DOCS.rglob("*.md"))

# A page is one session: its blocks `python` run in order, in one namespace. A block `text` is what the last one prints.
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> Iterator[tuple[int, str, str]]:
    """First line, language and text of each block of a page."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        yield text.count("\n", 0, match.start()) + 2, match[1], match[2]


def name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


WITH_EXAMPLES = [page for page in PAGES if any(language == "python" for _, language, _ in blocks(page))]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name)
def test_examples_print_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    for line, language, text in blocks(page):
        place = f"{name(page)}:{line}"
        if language == "python":
            assert not printed, f"{place}: the block before prints, and no block ```text shows it:\n{printed}"
            output = io.StringIO()
            try:
                with contextlib.redirect_stdout(output):
                    # Empty lines before the code give errors the line of the page.
                    exec(compile("\n" * (line - 1) + text, str(page), "exec"), session)
            except ModuleNotFoundError as error:
                if (error.name or "hitscan").split(".")[0] == "hitscan":
                    raise
                pytest.skip(f"{place}: the package {error.name} is not installed")
            printed = output.getvalue()
        elif language == "text":
            assert printed is not None, f"{place}: a block ```text that follows no block ```python"
            assert clean(printed) == clean(text), place
            printed = None
    assert not printed, f"{name(page)}: the last block prints, and no block ```text shows it:\n{printed}"


def clean(text: str) -> list[str]:
    """The lines without spaces at their ends."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def test_lines_of_examples_are_short() -> None:
    for page in PAGES:
        for line, language, text in blocks(page):
            if language == "python":
                long = [number for number, row in enumerate(text.splitlines(), line) if len(row) > 120]
                assert not long, f"{name(page)}: lines {long} have more than 120 characters"


def test_the_reference_has_every_public_name() -> None:
    named = re.findall(r"^::: (\S+)$", "".join(page.read_text(encoding="utf-8") for page in PAGES), re.MULTILINE)
    public = {f"hitscan.{each}" for each in hitscan.__all__ if not each.startswith("__")}
    for module in (hitscan.dask, hitscan.trimesh, hitscan.open3d):
        public |= {f"{module.__name__}.{each}" for each in module.__all__}
    assert set(named) == public
    assert len(named) == len(public)


def without_docstring(body: list[ast.stmt]) -> Iterator[str]:
    """The public classes, functions and methods that have no docstring, each with its line."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            decorators = [ast.unparse(each) for each in node.decorator_list]
            if any(each.endswith((".setter", "overload")) for each in decorators):
                continue
            if ast.get_docstring(node) is None:
                yield f"{node.lineno}: {node.name}"
            if isinstance(node, ast.ClassDef):
                yield from without_docstring(node.body)


def test_everything_public_has_a_docstring() -> None:
    modules = sorted((Path(__file__).resolve().parents[1] / "python" / "hitscan").glob("*.py"))
    assert len(modules) > 10
    for module in modules:
        assert not list(without_docstring(ast.parse(module.read_text(encoding="utf-8")).body)), module.name
    assert list(without_docstring(ast.parse("class A:\n    def f(self): ...\n").body)) == ["1: A", "2: f"]
