"""Filters of hits: rays go on through the hits that a function refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import Rays, refuse_masked
from hitscan._results import Hits, missing_value, row_shape

#: Gets the numbers of rays and a hit for each of them; returns which hits count.
Accept = Callable[[npt.NDArray[np.int64], Hits], object]
_Arrays = dict[str, npt.NDArray[Any]]

#: Hits of a ray that the filter gets in the first step, and the factor from step to step.
_STEP = 4


def first_accepted(target: _core.Target, cast: Rays, arrays: _Arrays, accept: Accept, threads: int) -> None:
    """Replaces closest hits in `arrays` that the filter refuses by the first hit that it accepts, or by a miss."""
    rays = np.flatnonzero(arrays["hit"])
    refused = rays[~_accepted(target, accept, rays, {name: array[rays] for name, array in arrays.items()})]
    flat, seen, most = cast._replace(shape=(cast.rows,)), 0, _STEP
    while len(refused):
        offsets, lists = target.candidates(flat.take(refused), most, list(arrays), threads)
        found = {name: array.reshape((-1, *row_shape(name, target.dimension))) for name, array in lists.items()}
        counts = np.diff(offsets)
        rows = np.repeat(np.arange(len(refused)), counts)
        new = np.flatnonzero(np.arange(len(rows)) - offsets[rows] >= seen)
        new_hits = {name: array[new] for name, array in found.items()}
        accepted = new[_accepted(target, accept, refused[rows[new]], new_hits)]
        # The hits of a ray are in order: the first one counts.
        decided, first = np.unique(rows[accepted], return_index=True)
        is_open = np.ones(len(refused), np.bool_)
        is_open[decided] = False
        missed = refused[is_open & (counts < most)]
        for name, array in arrays.items():
            array[refused[decided]] = found[name][accepted[first]]
            array[missed] = missing_value(name)
        refused = refused[is_open & (counts >= most)]
        seen, most = most, most * _STEP


def _accepted(
    target: _core.Target, accept: Accept, rays: npt.NDArray[np.int64], hits: _Arrays
) -> npt.NDArray[np.bool_]:
    """What the filter says of the hits; it is not asked about none."""
    if len(rays) == 0:
        return np.empty(0, np.bool_)
    returned = accept(rays, Hits(hits, rays.shape, target.dimension))
    refuse_masked("accept", returned)
    answer = np.asarray(returned)
    if answer.dtype != np.bool_ or answer.shape != rays.shape:
        what = f"{answer.dtype} of shape {answer.shape}"
        raise ValueError(f"accept: it must return bool of shape {rays.shape}, and returned {what}")
    return answer
