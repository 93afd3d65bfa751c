"""Files of local disks and of object stores, by fsspec."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

from fsspec.core import has_magic, url_to_fs
from fsspec.implementations.local import LocalFileSystem

#: Bytes of a read.
BLOCK = 16 * 2**20
#: File systems whose files appear whole, at the end of one put.
_ATOMIC_PUT = frozenset(("abfs", "abfss", "az", "gcs", "gs", "oci", "oss", "s3", "s3a"))
#: What names a version of a file, in the details of the file systems, the most exact first.
_VERSIONS = ("ETag", "etag", "generation", "md5Hash", "LastModified", "last_modified", "updated", "mtime", "created")
_COMPRESSIONS = (".gz", ".bz2", ".zst", ".xz", ".lz4", ".snappy")
_TEMPORARY = re.compile(r"\..+\.part")


@dataclass(frozen=True, slots=True)
class InputFile:
    """An input file."""

    #: Local path, or URL.
    url: str
    #: Path below the folder, or below the part of the glob without wildcards.
    name: str
    #: Size in bytes.
    size: int
    #: Version: the time of modification of a local file in nanoseconds, the entity tag of an object.
    modified: str

    @property
    def stem(self) -> str:
        """`name` without the extension of the table and without that of the compression."""
        path = PurePosixPath(self.name)
        if path.suffix.lower() in _COMPRESSIONS:
            path = path.with_suffix("")
        return str(path.with_suffix(""))


@dataclass(frozen=True, slots=True)
class Storage:
    """A file system of fsspec and a path on it."""

    files: Any
    path: str
    options: Mapping[str, Any]

    @classmethod
    def open(cls, url: str | PathLike[str], options: Mapping[str, Any] | None = None) -> Storage:
        """The storage of a local path or a URL. `options` are those of its file system; local paths have none."""
        text = os.fspath(url)
        is_local = "://" not in text and "::" not in text or text.startswith(("file://", "local://"))
        files, path = url_to_fs(text, **({} if is_local or options is None else options))
        return cls(files, path.rstrip("/") or path, dict(options or {}))

    @property
    def is_local(self) -> bool:
        """Whether it is a local path, which may be a network mount."""
        return isinstance(self.files, LocalFileSystem)

    @property
    def url(self) -> str:
        """Local path, or URL."""
        return self.path if self.is_local else self.files.unstrip_protocol(self.path)

    def below(self, name: str) -> Storage:
        """The storage of a name below this folder."""
        return Storage(self.files, f"{self.path.rstrip('/')}/{name}" if name else self.path, self.options)

    def names(self) -> set[str]:
        """Names of all files below this folder, relative to it; none if there is no folder."""
        self.files.invalidate_cache()
        try:
            found = self.files.find(self.path)
        except FileNotFoundError:
            return set()
        return {_relative(path, self.path) for path in found} - {""}

    def read(self, start: int, stop: int) -> bytes:
        """A range of bytes of this file."""
        return self.files.cat_file(self.path, start=start, end=stop) if stop > start else b""

    def read_text(self) -> str:
        """Text of this file."""
        return self.files.cat_file(self.path).decode()  # type: ignore[no-any-return]

    def write_text(self, text: str) -> None:
        """Writes this file, whole or not at all."""
        if self._has_atomic_put:
            self.files.pipe_file(self.path, text.encode())
        else:
            temporary = self._temporary()
            self.files.pipe_file(temporary, text.encode())
            self._move(temporary)

    def download(self, target: Path) -> None:
        """Copies this file to a local one."""
        self.files.get_file(self.path, str(target))

    def download_ranges(self, target: Path, size: int, ranges: Iterable[tuple[int, int]]) -> None:
        """Copies ranges of bytes of this file to the same places of a local one, which has holes elsewhere."""
        with target.open("wb") as file:
            file.truncate(size)
            for start, stop in ranges:
                for place in range(start, stop, BLOCK):
                    file.seek(place)
                    file.write(self.read(place, min(place + BLOCK, stop)))

    def upload(self, source: Path) -> None:
        """Copies a local file to this one, which appears whole."""
        if self._has_atomic_put:
            self.files.put_file(str(source), self.path)
            return
        temporary = self._temporary()
        try:
            self.files.put_file(str(source), temporary)
        except BaseException:
            with suppress(Exception):
                self.files.rm_file(temporary)
            raise
        self._move(temporary)

    def remove_temporaries(self) -> None:
        """Removes the files that broken writes left below this folder. A store with atomic puts has none."""
        if self._has_atomic_put:
            return
        for name in self.names():
            if _TEMPORARY.fullmatch(name.rpartition("/")[2]):
                with suppress(FileNotFoundError):
                    self.files.rm_file(self.below(name).path)

    @property
    def _has_atomic_put(self) -> bool:
        protocol = self.files.protocol
        return not _ATOMIC_PUT.isdisjoint((protocol,) if isinstance(protocol, str) else protocol)

    def _temporary(self) -> str:
        folder, _, name = self.path.rpartition("/")
        self.files.makedirs(folder, exist_ok=True)
        return f"{folder}/.{name}.{os.getpid()}-{uuid.uuid4().hex}.part"

    def _move(self, temporary: str) -> None:
        """Renames a temporary. Another attempt may have written the same bytes before; some file systems refuse then."""
        if self.is_local:
            os.replace(temporary, self.path)
            return
        try:
            self.files.mv(temporary, self.path)
        except Exception:
            is_there = self.files.exists(self.path)
            with suppress(Exception):
                self.files.rm_file(temporary)
            if not is_there:
                raise


def find_inputs(
    inputs: str | PathLike[str] | Iterable[str | PathLike[str]], options: Mapping[str, Any] | None, output: Storage
) -> list[InputFile]:
    """The files of paths, URLs, folders and globs, without hidden ones and without those of the output folder.

    Raises
    ------
    FileNotFoundError
        If a path, folder or glob has no file.
    """
    several = [inputs] if isinstance(inputs, (str, PathLike)) else list(inputs)
    found: dict[str, InputFile] = {}
    for one in several:
        place = Storage.open(one, options)
        files = _found(place)
        own = type(place.files) is type(output.files)
        kept = [
            (path, base, details)
            for path, base, details in files
            if not (own and path.startswith(output.path.rstrip("/") + "/"))
        ]
        if not kept:
            raise FileNotFoundError(f"inputs: no file is at {os.fspath(one)!r}")
        for path, base, details in kept:
            here = Storage(place.files, path, place.options)
            if details.get("size") is None:
                raise OSError(f"inputs: {here.url}: the server does not tell the size of the file")
            found.setdefault(
                here.url, InputFile(here.url, _relative(path, base), details["size"], _version(here, details))
            )
    return sorted(found.values(), key=lambda file: file.name)


def _found(place: Storage) -> list[tuple[str, str, dict[str, Any]]]:
    """Path, base and details of each file."""
    files, path = place.files, place.path
    files.invalidate_cache()
    if has_magic(path) and not files.exists(path):
        parts = path.split("/")
        wild = next(number for number, part in enumerate(parts) if has_magic(part))
        base = "/".join(parts[:wild])
        matches: dict[str, Any] = {}
        for match, details in files.glob(path, detail=True).items():
            matches.update({match: details} if details["type"] == "file" else files.find(match, detail=True))
    else:
        try:
            details = files.info(path)
        except FileNotFoundError:
            return []
        if details["type"] == "file":
            return [(path, path.rpartition("/")[0], details)]
        base, matches = path, files.find(path, detail=True)
    return [
        (match, base, details)
        for match, details in sorted(matches.items())
        if details["type"] == "file"
        and not match.endswith("/")  # a marker of a folder
        and not any(part.startswith((".", "_")) for part in _relative(match, base).split("/"))
    ]


def _relative(path: str, base: str) -> str:
    base = base.rstrip("/") + "/"
    return path[len(base) :] if path.startswith(base) else path.lstrip("/") if base == "/" else ""


def _version(place: Storage, details: Mapping[str, Any]) -> str:
    if place.is_local:
        return str(os.stat(place.path).st_mtime_ns)
    return next((str(details[name]).strip('"') for name in _VERSIONS if details.get(name)), "")
