"""Hooks of the documentation site: pages from outside `docs/`, and links that work on a code host and in the site."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

# A warning of this logger fails a build with `--strict`.
log = get_plugin_logger("hooks")

# Files of the repository outside `docs/` that are pages, and their places in the site.
PAGES = {
    "ACCURACY.md": "project/accuracy.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "fuzz/README.md": "project/fuzz.md",
    "lab/README.md": "project/lab.md",
    "oracle/README.md": "project/oracle.md",
    "testdata/README.md": "project/testdata.md",
    "testdata/conformance/README.md": "project/conformance.md",
}
REPOSITORY_PATHS = {place: path for path, place in PAGES.items()}
# What the README says, the home page says in the site.
PLACES = {**PAGES, "README.md": "index.md"}

# The host of an address that is not known yet.
PLACEHOLDER = "//example.invalid/"

# A fenced block, which may lie in a tab.
FENCE = re.compile(r"^(?P<indent> *)(?P<marks>```+|~~~+)(?P<language>[\w-]*)(?P<attributes>.*)$")

# A link or a picture; or code, in which links are text.
LINK = re.compile(
    r"(?P<picture>!?)\[(?P<text>(?:[^\[\]`]|`[^`]*`|!\[[^\]]*\]\([^)]*\))*)\]\((?P<target>[^()\s]+)(?P<title>\s+\"[^\"]*\")?\)"
    r"|(?P<marks>`+)(?P<code>.+?)(?P=marks)(?!`)",
    re.DOTALL,
)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds the pages from outside `docs/`."""
    root = repository(config)
    for path, place in PAGES.items():
        files.append(File.generated(config, place, abs_src_path=str(root / path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Makes links and examples of a page those of the site."""
    place = page.file.src_uri
    text: list[str] = []  # lines since the last block
    lines: list[str] = []
    fence: re.Match[str] | None = None

    def flush() -> None:
        if text:
            lines.append(LINK.sub(lambda match: site_link(match, place, config, files), "\n".join(text)))
            text.clear()

    for line in markdown.split("\n"):
        match = FENCE.match(line)
        if fence is None and match:
            flush()
            fence = match
            # Rustdoc's attributes, as in `rust,no_run`, are nothing to the reader.
            attributes = "" if match["attributes"].startswith(",") else match["attributes"]
            lines.append(match["indent"] + match["marks"] + match["language"] + attributes)
        elif fence is None:
            text.append(line)
        elif line.strip() == fence["marks"]:
            fence = None
            lines.append(line)
        elif not (fence["language"] == "rust" and is_hidden(line)):
            lines.append(line)
    flush()
    return "\n".join(lines)


def is_hidden(line: str) -> bool:
    """Whether rustdoc compiles a line and does not show it."""
    line = line.strip()
    return line == "#" or line.startswith("# ")


def site_link(match: re.Match[str], place: str, config: MkDocsConfig, files: Files) -> str:
    """A link of a page, as it is right in the site."""
    target = match["target"]
    if target is None or re.match(r"[a-z][a-z0-9+.-]*:|#|/", target):
        return match[0]
    address, mark, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(repository_path(place)), address))
    text = match["text"]
    if LINK.search(text):
        text = LINK.sub(lambda inner: site_link(inner, place, config, files), text)
    wanted = PLACES.get(path, path.removeprefix("docs/"))
    if files.get_file_from_path(wanted) is not None and (path in PLACES or path.startswith("docs/")):
        relative = posixpath.relpath(wanted, posixpath.dirname(place) or ".")
        return f"{match['picture']}[{text}]({relative}{mark}{anchor}{match['title'] or ''})"
    if not (repository(config) / path).exists():
        log.warning("%s links to %s, which does not exist", repository_path(place), target)
        return match[0]
    address = config.extra["repository"]
    if PLACEHOLDER not in address:
        return f"{match['picture']}[{text}]({address}{path}{mark}{anchor}{match['title'] or ''})"
    return text if path in text else f"{text} (`{path}`)"


def repository_path(place: str) -> str:
    """The path in the repository of a page of the site."""
    return REPOSITORY_PATHS.get(place, f"docs/{place}")


def repository(config: MkDocsConfig) -> Path:
    """The root of the repository."""
    return Path(config.config_file_path).parent


# What a browser loads by itself: scripts, pictures, frames, style sheets, icons. Links to follow are free.
LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|link)\b[^>]*?\s(?:src|href)=[\"']?((?:https?:)?//[^\s\"'>]+)"
)
LOADED_BY_SHEETS = re.compile(r"(?:@import|url\()\s*[\"']?((?:https?:)?//[^\s\"')]+)")


def on_post_build(*, config: MkDocsConfig) -> None:
    """Warns where a page loads something from another host: the site works without a network, and tells nobody who reads it."""
    for pattern, suffix in ((LOADED, "html"), (LOADED_BY_SHEETS, "css")):
        for path in sorted(Path(config.site_dir).rglob(f"*.{suffix}")):
            for address in pattern.findall(path.read_text(encoding="utf-8")):
                log.warning("%s loads %s", path.relative_to(config.site_dir), address)
