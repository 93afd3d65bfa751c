"""Extension of Griffe, which reads the package for the reference."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import griffe

# Two or more parameters with one description: `t_min, t_max : float`, and the indented lines below.
TOGETHER = re.compile(r"^(\w+(?:, \w+)+)( : .*)?\n((?:[ ]+.*(?:\n|$))+)", re.MULTILINE)


class ReferenceExtension(griffe.Extension):
    """Takes from the source what Griffe leaves out."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Takes the lines `#:` above an attribute as its documentation, if it has no other."""
        if attr.docstring is not None or attr.lineno is None or not isinstance(attr.filepath, Path):
            return
        lines = attr.filepath.read_text(encoding="utf-8").splitlines()
        first = attr.lineno - 1
        while first > 0 and lines[first - 1].lstrip().startswith("#:"):
            first -= 1
        text = "\n".join(line.lstrip().removeprefix("#:").strip() for line in lines[first : attr.lineno - 1])
        if text:
            attr.docstring = griffe.Docstring(text, lineno=first + 1, endlineno=attr.lineno - 1, parent=attr)

    def on_function_instance(self, *, func: griffe.Function, **kwargs: Any) -> None:
        """Shows the values of constants in signatures, and describes each of several parameters with its own type."""
        if isinstance(func.filepath, Path):
            for parameter in func.parameters:
                value = constants(func.filepath.parent).get(str(parameter.default))
                if value is not None:
                    parameter.default = value
        if func.docstring is not None:
            func.docstring.value = TOGETHER.sub(apart, func.docstring.value)


def apart(match: re.Match[str]) -> str:
    """A description of several parameters, once for each."""
    description = match[3].rstrip("\n") + "\n"
    return "".join(f"{name}{match[2] or ''}\n{description}" for name in match[1].split(", "))


@cache
def constants(package: Path) -> dict[str, str]:
    """The constants of a package by their names, such as `_ZERO`: the expressions of their values."""
    found: dict[str, str] = {}
    for path in package.glob("*.py"):
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            for name, value in assignments(statement):
                if isinstance(name, ast.Name) and name.id.isupper():
                    found[name.id] = ast.unparse(value)
    return found


def assignments(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """Targets and values of `a = 1`, `a: int = 1` and `a, b = 1, 2`."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return [(statement.target, statement.value)]
    if isinstance(statement, ast.Assign):
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            return list(zip(target.elts, value.elts, strict=True))
        return [(target, value)]
    return []
