"""Points that rays have in common with surfaces, which the drop-ins list in place of crossings."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from hitscan._arrays import row_limit, thread_count
from hitscan._lists import HitLists
from hitscan._queries import Queries
from hitscan._results import HIT_FIELDS, checked_fields


def common_points(
    queried: Queries,
    origins: object,
    directions: object,
    *,
    fields: Iterable[str],
    first: int | None = None,
    threads: int | None = None,
) -> HitLists:
    """The points at which each ray crosses or touches a surface, by increasing `t`: each once for each object, with the first of
    its triangles there. `Queries.cast_all` has crossings only."""
    cast = queried._rays(origins, directions, inside="hollow")._replace(points=True)
    names = ["hit", *checked_fields(fields, HIT_FIELDS)]
    target = queried._ray_target(cast, None, ())
    offsets, arrays = target.cast_all(cast, row_limit("first", first, 1), names, thread_count(threads), None)
    return HitLists(offsets, cast.shape, queried._hits(arrays))


def count_points(
    queried: Queries, origins: object, directions: object, *, threads: int | None = None
) -> npt.NDArray[np.uint32]:
    """The number of `common_points` of each ray."""
    cast = queried._rays(origins, directions, inside="hollow")._replace(points=True)
    out = np.empty(cast.rows, np.uint32)
    queried._ray_target(cast, None, ()).count(cast, out, thread_count(threads), None)
    return out.reshape(cast.shape)
