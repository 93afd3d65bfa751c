"""Extension of Griffe: a comment `#:` above an attribute is its documentation."""

from __future__ import annotations

from typing import Any

import griffe


class AttributeComments(griffe.Extension):
    """Takes the lines `#:` above an attribute that has no docstring."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Is called by Griffe for each attribute that it has read."""
        path = attr.filepath
        if attr.docstring is not None or attr.lineno is None or isinstance(path, list):
            return
        lines = path.read_text(encoding="utf-8").splitlines()
        first = attr.lineno - 1
        while first > 0 and lines[first - 1].lstrip().startswith("#:"):
            first -= 1
        text = "\n".join(line.lstrip().removeprefix("#:").strip() for line in lines[first : attr.lineno - 1])
        if text:
            attr.docstring = griffe.Docstring(text, lineno=first + 1, endlineno=attr.lineno - 1, parent=attr)
