"""Scenes: objects, which can change at any time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import ALL_LAYERS, Faces, Floats, Inside, TriggersCount, excluded_ids, layer_mask, matrix
from hitscan._queries import Queries
from hitscan._shapes import Shape
from hitscan._shards import Shard
from hitscan._user_shape import UserShape

#: The most names among which an error looks for similar ones.
_SEARCHED_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class SceneObject:
    """An object of a scene, as it is when `Scene.object` returns it."""

    #: Id, which never names another object.
    id: int
    #: Shape, without the transform.
    shape: Shape
    #: Transform, (d + 1, d + 1); `None` where the shape is not transformed.
    transform: npt.NDArray[np.float64] | None
    #: Name, if it has one.
    name: str | None
    #: Mask of layers, one bit for each.
    layers: int
    #: Number of the user's.
    user_data: int
    #: Rule for rays that start inside, in place of that of a query.
    inside: Inside | None
    #: Sides of surfaces that count, in place of those of a query.
    faces: Faces | None
    #: Whether rays pass through it.
    trigger: bool


class Scene(Queries):
    """A scene: objects under a BVH, with the queries of `Queries`.

    Parameters
    ----------
    shapes : iterable of Shape
        First objects, with the ids 0, 1, 2, …
    dtype : dtype, optional
        `float32` or `float64`. By default `float32` if all shapes are, else `float64`.
    dimension : int, optional
        2 or 3. By default that of the shapes, else 3.

    Notes
    -----
    Objects can be added, removed and changed at any time, and each query sees each edit. `commit` after the edits of a frame
    makes queries fast again. Of two hits at the same `t`, that of the object added first wins.

    Results that keep their rays (`Queries.cast`) keep the scene as it was, too: edits then copy the parts that they change,
    and become slower, until those results are gone. `keep_rays=False` avoids that.

    `scene[name]` is the id of the object with a name, `name in scene` and `id in scene` say whether there is an object, and
    iteration goes over the ids in the order in which the objects were added.

    A `float32` scene rounds transforms to `float32`. Rays in `float64` need an exact `float64` copy of it, which is built at
    the first such query after an edit.

    Examples
    --------
    >>> import hitscan
    >>> scene = hitscan.Scene()
    >>> ball = scene.add(hitscan.Sphere((0, 0, 5), 1), name="ball")
    >>> wall = scene.add(hitscan.Box((0, 0, 9), (4, 4, 1)), name="wall")
    >>> hits = scene.cast([(0, 0, 0), (3, 0, 0)], (0, 0, 1))
    >>> hits.object, hits.t
    (array([0, 1]), array([4., 8.]))
    >>> scene["wall"], "door" in scene, list(scene)
    (1, False, [0, 1])
    >>> scene.remove(ball)
    >>> float(scene.cast((0, 0, 0), (0, 0, 1)).t)
    8.0
    """

    __slots__ = ("_scene", "layer_names")

    def __init__(
        self, shapes: Iterable[Shape] = (), *, dtype: npt.DTypeLike | None = None, dimension: int | None = None
    ) -> None:
        given = list(shapes)
        for number, shape in enumerate(given):
            if not isinstance(shape, Shape):
                raise TypeError(f"shapes[{number}]: {shape!r} is no shape; make a Sphere, a TriangleMesh, …")
        if dimension is None:
            dimension = given[0].dimension if given else 3
        if dimension not in (2, 3):
            raise ValueError(f"dimension: {dimension} is neither 2 nor 3")
        wanted = (
            np.result_type(*(shape.dtype for shape in given))
            if given and dtype is None
            else np.dtype(dtype or np.float64)
        )
        if wanted not in (np.float32, np.float64):
            raise TypeError(f"dtype: {wanted} is neither float32 nor float64")
        self._scene = _core.Scene(dimension, wanted == np.float64)
        #: Names of layers that the file of the scene has, by name.
        self.layer_names: dict[str, int] = {}
        for shape in given:
            self.add(shape)

    @classmethod
    def _of(cls, core: _core.Scene, layer_names: dict[str, int]) -> Scene:
        scene = object.__new__(cls)
        scene._scene = core
        scene.layer_names = layer_names
        return scene

    @property
    def dimension(self) -> int:
        """Number of dimensions, 2 or 3."""
        return self._scene.dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the numbers, `float32` or `float64`."""
        return np.dtype(np.float64 if self._scene.is_double else np.float32)

    def _target(
        self, is_double: bool, layers: int | None, exclude: Iterable[int], triggers: TriggersCount = "hit"
    ) -> _core.Target:
        ids = excluded_ids(exclude)
        return _core.Target.of_scene(self._scene, is_double, ALL_LAYERS if layers is None else layers, ids, triggers)

    def _open_meshes(self, layers: int | None, exclude: Iterable[int], triggers: TriggersCount) -> list[int]:
        return self._scene.open_meshes(ALL_LAYERS if layers is None else layers, excluded_ids(exclude), triggers)

    def _shape_core(self, shape: Shape) -> _core.Geometry:
        if not isinstance(shape, Shape):
            raise TypeError(f"shape: {shape!r} is no shape; make a Sphere, a TriangleMesh, …")
        if shape.dimension != self.dimension:
            raise ValueError(f"shape: it has {shape.dimension} dimensions, the scene has {self.dimension}")
        if shape.dtype == np.float64 and self.dtype == np.float32:
            if shape.kind in ("mesh", "group", "solid"):
                raise TypeError(
                    "shape: its numbers are float64, those of the scene float32; convert it by .astype(numpy.float32), "
                    "or make the scene with dtype=numpy.float64"
                )
            shape = shape.astype(np.float32)
        elif isinstance(shape, UserShape):
            shape = shape.astype(self.dtype)
        return shape._geometry

    def add(
        self,
        shape: Shape,
        *,
        transform: object = None,
        name: str | None = None,
        layers: int = 1,
        user_data: int = 0,
        inside: Inside | None = None,
        faces: Faces | None = None,
        trigger: bool = False,
    ) -> int:
        """Adds an object.

        Parameters
        ----------
        shape : Shape
            Shape. Objects of one mesh, group or solid share its memory. A `float32` scene rounds the numbers of other shapes.
        transform : array_like, optional
            Matrix, (d + 1, d + 1) or (d, d + 1): it may rotate, scale, mirror and shear. The object is its exact image.
        name : str, optional
            Name, which no other object has: `scene[name]` is the id.
        layers : int
            Mask of layers, one bit for each of 32, not 0.
        user_data : int
            Number of yours, from 0 to 2**64 - 1.
        inside, faces : str, optional
            Rules in place of those of a query: see `Queries.cast`.
        trigger : bool
            Whether rays pass through it.

        Returns
        -------
        int
            Id: 0, 1, 2, … An id never names another object.

        Raises
        ------
        TypeError, ValueError
            With the argument and its value.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> scene = hitscan.Scene()
        >>> scene.add(hitscan.Sphere((0, 0, 0), 1), transform=np.diag([2.0, 2, 3, 1]))
        0
        >>> float(scene.cast((0, 0, 9), (0, 0, -1)).t)
        6.0
        """
        rows = None if transform is None else matrix("transform", transform, self.dimension)
        mask = layer_mask("layers", layers)
        if isinstance(user_data, bool) or not 0 <= user_data < 2**64:
            raise ValueError(f"user_data: {user_data} is not from 0 to 2**64 - 1")
        core = self._shape_core(shape)
        if name is not None and (other := self._scene.find(_checked_name(name))) is not None:
            raise ValueError(f"name: the object {other} has the name {name!r}; objects of a scene have different names")
        return self._scene.insert(core, rows, name, mask, int(user_data), inside, faces, bool(trigger))

    def remove(self, id: int) -> None:
        """Removes an object. Raises `KeyError` if there is none with the id."""
        self._scene.remove(id)

    def set_transform(self, id: int, transform: object = None) -> None:
        """Moves an object: the matrix is that of `add`; `None` for where its shape is."""
        self._scene.set_transform(id, None if transform is None else matrix("transform", transform, self.dimension))

    def set_shape(self, id: int, shape: Shape) -> None:
        """Gives an object another shape."""
        self._scene.set_shape(id, self._shape_core(shape))

    def set_layers(self, id: int, layers: int) -> None:
        """Puts an object on other layers."""
        self._scene.set_layers(id, layer_mask("layers", layers))

    def set_trigger(self, id: int, trigger: bool) -> None:
        """Makes an object a trigger, or none."""
        self._scene.set_trigger(id, trigger)

    def set_inside(self, id: int, inside: Inside | None) -> None:
        """Sets the rule of an object for rays that start inside; `None` for that of a query."""
        self._scene.set_inside(id, inside)

    def set_faces(self, id: int, faces: Faces | None) -> None:
        """Sets the sides of an object that count, unless it is a solid; `None` for those of a query."""
        self._scene.set_faces(id, faces)

    def commit(self) -> None:
        """Makes queries fast again after edits, in about the time of looking at each object that moved."""
        self._scene.commit()

    def rebuild(self) -> None:
        """Builds the tree of the scene anew, for the fastest casts after many edits."""
        self._scene.rebuild()

    def snapshot(self) -> Scene:
        """The scene as it is now, in constant time. It shares memory; edits of one do not show in the other."""
        return Scene._of(self._scene.snapshot(), self.layer_names)

    def __copy__(self) -> Scene:
        return self.snapshot()

    def __deepcopy__(self, memo: object) -> Scene:
        return self.snapshot()

    def __len__(self) -> int:
        return len(self._scene)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids)

    def __contains__(self, key: object) -> bool:
        if isinstance(key, str):
            return self._scene.find(key) is not None
        if isinstance(key, bool) or not isinstance(key, int | np.integer):
            return False
        try:
            self._scene.object(int(key))
        except (KeyError, OverflowError):
            return False
        return True

    def __getitem__(self, name: str) -> int:
        id = self.find(name)
        if id is None:
            known = (self._scene.object(each)[2] for each in islice(self.ids, _SEARCHED_NAMES))
            close = get_close_matches(name, [each for each in known if each is not None])
            similar = f"; similar names are {', '.join(map(repr, close))}" if close else ""
            raise KeyError(f"name: no object has the name {name!r}{similar}")
        return id

    def find(self, name: str) -> int | None:
        """Id of the object with a name; `None` if there is none, where `scene[name]` raises `KeyError`.

        Raises
        ------
        TypeError
            If the name is no `str`.

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene()
        >>> wall = scene.add(hitscan.Box((0, 0, 9), (4, 4, 1)), name="wall")
        >>> scene.find("wall"), scene.find("door")
        (0, None)
        """
        return self._scene.find(_checked_name(name))

    @property
    def ids(self) -> list[int]:
        """Ids of the objects, in the order in which they were added."""
        return self._scene.ids()

    def object(self, id: int) -> SceneObject:
        """All there is to an object. Raises `KeyError` if there is none with the id."""
        core, rows, name, layers, user_data, inside, faces, trigger = self._scene.object(id)
        transform = None
        if rows is not None:
            transform = np.eye(self.dimension + 1)
            transform[:-1] = np.reshape(rows, (self.dimension, self.dimension + 1))
        return SceneObject(id, Shape._from_core(core), transform, name, layers, user_data, inside, faces, trigger)

    def objects(self) -> Iterator[SceneObject]:
        """The objects, in the order in which they were added."""
        return (self.object(id) for id in self.ids)

    @property
    def bounds(self) -> Floats:
        """Bounding box of the bounded objects, (2, d): its lower and its upper corner, rounded outward."""
        return self._scene.bounds()

    def save(self, path: str | PathLike[str]) -> None:
        """Saves the scene with its BVHs to a `.hitscene` file, which `hitscan.load` reads without a build."""
        from hitscan._files import write

        write(path, ".hitscene", self._scene.to_bytes())

    def split(self, count: int) -> list[Shard]:
        """Splits the scene into shards of about equally many triangles, for scenes larger than the memory of a machine.

        A large mesh is split by triangle; each other shape and each group is in one shard. The scene stays as it is.

        Parameters
        ----------
        count : int
            Number of shards, from 1 to 65,536.

        Returns
        -------
        list of Shard
            They have the ids and triangle numbers of the scene: see `ShardedScene`.
        """
        if isinstance(count, bool) or int(count) < 1:
            raise ValueError(f"count: {count} is no number of shards; give 1 or more")
        return [Shard._of(shard) for shard in _core.Shard.split(self._scene, int(count))]

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (self._scene.to_bytes(), self.dimension, self._scene.is_double, self.layer_names)

    def __repr__(self) -> str:
        return f"Scene({len(self)} objects, {self.dimension}D, {self.dtype})"


def _checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name: {name!r} is no name; give a str")
    return name


def _from_bytes(saved: bytes, dimension: int, is_double: bool, layer_names: dict[str, int]) -> Scene:
    return Scene._of(_core.Scene.from_bytes(saved, dimension, is_double), layer_names)
