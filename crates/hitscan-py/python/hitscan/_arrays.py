"""Arguments as arrays: numbers, points, rays, with errors that name the argument."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitscan import _core

Floats: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.float64]
ArrayLike: TypeAlias = npt.ArrayLike
# Unions, since stubtest does not know a Literal of several values.
Inside: TypeAlias = Literal["solid"] | Literal["hollow"]
Faces: TypeAlias = Literal["both"] | Literal["front"] | Literal["back"]
Triggers: TypeAlias = Literal["pass"] | Literal["hit"] | Literal["ignore"]
Coplanar: TypeAlias = Literal["miss"] | Literal["hit"]
Approach: TypeAlias = Literal["any"] | Literal["only"]
#: Whether triggers count in queries of points and volumes.
TriggersCount: TypeAlias = Literal["hit"] | Literal["ignore"]
InsideRule: TypeAlias = Literal["parity"] | Literal["winding_number"] | Literal["parity_if_closed"]
Progress: TypeAlias = bool | Callable[[int, int], object] | None

_INSIDE, _FACES, _TRIGGERS = ("solid", "hollow"), ("both", "front", "back"), ("pass", "hit", "ignore")
_COPLANAR, _APPROACH = ("miss", "hit"), ("any", "only")

ALL_LAYERS = 0xFFFF_FFFF
_LARGEST_EXACT = 2**53


def is_arrow(value: object) -> bool:
    """Whether a value offers Arrow data by the PyCapsule interface, and is no NumPy array."""
    return not isinstance(value, np.ndarray) and (
        hasattr(value, "__arrow_c_array__") or hasattr(value, "__arrow_c_stream__")
    )


def refuse_masked(name: str, value: object) -> None:
    """Raises an error for a masked array, or a list with one: NumPy would read the values below the mask."""
    if isinstance(value, (list, tuple)):
        if not value or not isinstance(value[0], np.ndarray):  # numbers, and lists of numbers
            return
        is_masked = any(isinstance(part, np.ma.MaskedArray) for part in value)
    else:
        is_masked = isinstance(value, np.ma.MaskedArray)
    if is_masked:
        raise TypeError(f"{name}: a masked array; give all values, as .filled(...) does, or leave rows out")


def numbers(name: str, value: object) -> Floats:
    """An array of `float32` or `float64` numbers, which shares the memory of the argument where that has them already.

    Integers become `float64`, `float16` becomes `float32`; both conversions are exact.

    Raises
    ------
    TypeError
        If the values are no real numbers, would lose digits, or are masked.
    ValueError
        If rows have different lengths, or an integer is beyond 2**53.
    """
    if value is None:
        raise TypeError(f"{name}: None; give numbers")
    if is_arrow(value):
        try:
            chunks = _core.array(name, value)
        except ImportError:  # pandas exports by pyarrow, if that is installed
            chunks = [np.asarray(value)]
        value = chunks[0] if len(chunks) == 1 else np.concatenate(chunks) if chunks else np.empty(0)
    refuse_masked(name, value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: no array can be made of it ({error})") from None
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind in "iu":
        if array.size and size == 8:
            least, most = int(array.min()), int(array.max())
            if max(-least, most) > _LARGEST_EXACT:
                wrong = most if most > -least else least
                raise ValueError(f"{name}: the integer {wrong} is no float64 number; give floats")
        return array.astype(np.float64)
    if kind != "f" or size > 8:
        what = "convert it to float64" if kind == "f" else "give float32 or float64 numbers, or integers"
        raise TypeError(f"{name}: an array of {array.dtype}; {what}")
    if size == 2:
        return array.astype(np.float32)
    return np.require(array, array.dtype.newbyteorder("="), "A")


def points(name: str, value: object, dimension: int) -> Floats:
    """Points of shape (..., dimension)."""
    array = numbers(name, value)
    if array.ndim == 0 or array.shape[-1] != dimension:
        needed = f"points of {dimension} numbers are needed, shape {(0 if array.size == 0 else 'n', dimension)}"
        raise ValueError(f"{name}: shape {array.shape}, but {needed}".replace("'", ""))
    return array


def scalars(name: str, value: object) -> Floats | float:
    """A Python number, or an array of numbers of any shape."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    array = numbers(name, value)
    return float(array) if array.ndim == 0 and not isinstance(value, np.ndarray | np.generic) else array


def common_shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that the given shapes broadcast to."""
    different = set(shapes.values()) - {()}
    if len(different) < 2:
        return different.pop() if different else ()
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} has {shape}" for name, shape in shapes.items() if shape)
        raise ValueError(f"the shapes do not go together (without the last axis of points): {listed}") from None


def rows(array: npt.NDArray[Any], shape: tuple[int, ...], width: int | None) -> npt.NDArray[Any]:
    """An array broadcast to a shape, with one axis in place of the axes of the shape."""
    tail = () if width is None else (width,)
    count = math.prod(shape)
    if array.shape == (count, *tail):
        return array
    lead = array.shape[: array.ndim - len(tail)]
    if all(length == 1 for length in lead):
        return np.broadcast_to(array.reshape(tail), (count, *tail))
    return np.broadcast_to(array, (*shape, *tail)).reshape(count, *tail)


def layer_mask(name: str, value: int) -> int:
    """A mask of layers, one bit for each."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name}: {value!r} is no mask of layers; give an integer such as 0b101")
    if not 0 <= value <= ALL_LAYERS:
        raise ValueError(f"{name}: {value} is no mask of 32 layers; it must be from 0 to {ALL_LAYERS}")
    return int(value)


def row_limit(name: str, value: int | None, least: int) -> int:
    """The most rows of a result; `None` for all."""
    if value is None:
        return 2**63 - 1
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name}: {value!r} is no number of rows; give an integer of at least {least}, or None")
    return min(int(value), 2**63 - 1)


def length(name: str, value: float) -> float:
    """A number that is not negative, perhaps infinite."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)) or not value >= 0:
        raise ValueError(f"{name}: {value!r} is no length; it must be one number, not negative")
    return float(value)


def excluded_ids(exclude: Iterable[int]) -> list[int]:
    """The ids of the argument `exclude`."""
    try:
        return [index(number) for number in exclude]
    except TypeError:
        raise TypeError(f"exclude: {exclude!r} is no list of ids; give those that Scene.add returned") from None


def thread_count(threads: int | None) -> int:
    """A number of threads; 0 for all."""
    if threads is None:
        return 0
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 0 <= threads <= 4096:
        raise ValueError(f"threads: {threads!r} is no number of threads; give None or 0 for all, or 1 to 4096")
    return int(threads)


def progress_callback(progress: Progress) -> Callable[[int, int], object] | None:
    """The callback of the argument `progress`: `True` shows a bar by tqdm."""
    if progress is None or progress is False:
        return None
    if callable(progress):
        return progress
    if progress is not True:
        raise TypeError(f"progress: {progress!r} is neither a bool nor callable")
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise ImportError(
            "progress=True needs the package tqdm; install it, or give a function of (done, total)"
        ) from None
    bar: Any = None

    def update(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            bar = tqdm(total=total, unit="row", unit_scale=True)
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return update


def is_constant(array: npt.NDArray[Any]) -> bool:
    """Whether nobody can change an array: neither it nor an array that it is a view of can be written."""
    base: object = array
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return False
        base = base.base
    return True


def constant(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array itself if nobody can change it, else a copy."""
    if is_constant(array):
        return array
    copy = array.copy()
    copy.flags.writeable = False
    return copy


class Rays(NamedTuple):
    """The rays of a query, checked, in arrays of one row for each ray. `hitscan._core` reads the fields by their place."""

    shape: tuple[int, ...]
    origins: Floats
    targets: Floats
    is_segment: bool
    t_min: Floats | None
    t_max: Floats | None
    layers: npt.NDArray[np.uint32] | None
    from_t: float
    to_t: float
    inside: Inside
    faces: Faces
    triggers: Triggers
    mask: int
    coplanar: Coplanar
    max_distance: Floats | None = None
    distance: float = np.inf
    #: Whether `cast_all` and `count` take all points that rays have in common with surfaces: also where a ray only touches one.
    points: bool = False
    approach: Approach = "any"

    @property
    def is_double(self) -> bool:
        """Whether the numbers are `float64`."""
        return self.origins.dtype == np.float64

    @property
    def rows(self) -> int:
        """Number of rays."""
        return len(self.origins)

    def kept(self) -> Rays:
        """The same rays in arrays that nobody can change."""
        return self._map(_constant_rows)

    def take(self, index: Any) -> Rays:
        """The rays at an index of their shape."""
        chosen = np.arange(self.rows).reshape(self.shape)[index]
        flat = np.atleast_1d(chosen).reshape(-1)
        return self._map(lambda array: array[flat])._replace(shape=np.shape(chosen))

    def _map(self, change: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]) -> Rays:
        each = {
            name: getattr(self, name) for name in ("origins", "targets", "t_min", "t_max", "layers", "max_distance")
        }
        changed: dict[str, Any] = {name: change(array) for name, array in each.items() if array is not None}
        return self._replace(**changed)


def _constant_rows(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """`constant`, of one row where all rows are the same memory."""
    if len(array) > 1 and array.strides[0] == 0:
        return np.broadcast_to(constant(array[:1].copy()), array.shape)
    return constant(array)


def plain_rays(origins: Floats, directions: Floats) -> Rays:
    """Rays of plain arrays, (n, d) or (d,), that a query without other arguments has cast."""
    shape = origins.shape[:-1] or directions.shape[:-1]
    width = origins.shape[-1]
    flat = rows(origins, shape, width), rows(directions, shape, width)
    return Rays(shape, *flat, False, None, None, None, 0.0, np.inf, "solid", "both", "pass", ALL_LAYERS, "miss")


_LIMITS = ("t_min", "t_max", "max_distance")


def rays(
    dimension: int,
    is_double: bool,
    origins: object,
    directions: object,
    ends: object,
    *,
    t_min: object = 0.0,
    t_max: object = np.inf,
    max_distance: object = np.inf,
    layers: object = None,
    inside: Inside = "solid",
    faces: Faces = "both",
    triggers: Triggers = "pass",
    coplanar: Coplanar = "miss",
    approach: Approach = "any",
) -> Rays:
    """Checks the arguments of a ray query and brings them to one precision: `float64` unless everything is `float32`."""
    for name, word, words in (
        ("inside", inside, _INSIDE), ("faces", faces, _FACES), ("triggers", triggers, _TRIGGERS),
        ("coplanar", coplanar, _COPLANAR), ("approach", approach, _APPROACH),
    ):  # fmt: skip
        choice(name, word, words)
    if (directions is None) == (ends is None):
        raise TypeError("give either directions (rays) or ends (segments)")
    target_name, target = ("ends", ends) if directions is None else ("directions", directions)
    given: dict[str, Floats] = {
        "origins": points("origins", origins, dimension),
        target_name: points(target_name, target, dimension),
    }
    ranges: dict[str, float] = {}
    for name, value in (("t_min", t_min), ("t_max", t_max), ("max_distance", max_distance)):
        checked = scalars(name, value)
        if name == "max_distance" and np.ndim(checked) == 0 and checked < 0:
            raise ValueError(f"{name}: {float(checked):g} is no length; it must not be negative")
        if isinstance(checked, float):
            if np.isnan(checked):
                raise ValueError(f"{name}: nan is no limit{'' if name == 'max_distance' else ' of t'}")
            ranges[name] = checked
        else:
            given[name] = checked
    mask, layer_rows = ALL_LAYERS, None
    if layers is not None:
        if np.ndim(layers) == 0:  # type: ignore[arg-type]
            mask = layer_mask("layers", layers)  # type: ignore[arg-type]
        else:
            layer_rows = masks("layers", layers)
    shapes = {name: array.shape[: array.ndim - (name not in _LIMITS)] for name, array in given.items()}
    if layer_rows is not None:
        shapes["layers"] = layer_rows.shape
    shape = common_shape(**shapes)
    is_double = is_double or any(array.dtype == np.float64 for array in given.values())
    dtype = np.float64 if is_double else np.float32

    def row_array(name: str, width: int | None) -> Any:
        array = given.get(name)
        return None if array is None else rows(array.astype(dtype, copy=False), shape, width)

    return Rays(
        shape=shape,
        origins=row_array("origins", dimension),
        targets=row_array(target_name, dimension),
        is_segment=directions is None,
        t_min=row_array("t_min", None),
        t_max=row_array("t_max", None),
        layers=None if layer_rows is None else rows(layer_rows, shape, None),
        from_t=ranges.get("t_min", -np.inf),
        to_t=ranges.get("t_max", np.inf),
        inside=inside,
        faces=faces,
        triggers=triggers,
        mask=mask,
        coplanar=coplanar,
        max_distance=row_array("max_distance", None),
        distance=ranges.get("max_distance", np.inf),
        approach=approach,
    )


def masks(name: str, value: object) -> npt.NDArray[np.uint32]:
    """An array of masks of layers."""
    refuse_masked(name, value)
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: an array of {array.dtype}; masks of layers are integers")
    wrong = (array < 0) | (array > ALL_LAYERS)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"{name}[{', '.join(map(str, place))}]: {array[place]} is no mask of 32 layers")
    return array.astype(np.uint32)


def matrix(name: str, value: object, dimension: int) -> list[float]:
    """An affine transform as the rows of its matrix, without the last one: (d + 1, d + 1) or (d, d + 1) numbers."""
    array = numbers(name, value)
    size = dimension + 1
    if array.shape not in ((dimension, size), (size, size)):
        raise ValueError(
            f"{name}: shape {array.shape}; a matrix of shape ({size}, {size}) or ({dimension}, {size}) is needed"
        )
    if array.shape[0] == size and array[-1].tolist() != [0.0] * dimension + [1.0]:
        last = ", ".join(["0"] * dimension + ["1"])
        raise ValueError(
            f"{name}: the last row is {array[-1].tolist()}; it must be [{last}], since the transform is affine"
        )
    return [float(number) for number in array[:dimension].reshape(-1)]


def choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raises an error for a word that is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name}: {value!r} is none of {', '.join(map(repr, choices))}")
