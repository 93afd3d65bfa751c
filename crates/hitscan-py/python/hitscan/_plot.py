"""Pictures: matplotlib axes with what rays see of a shape or scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hitscan._arrays import points

if TYPE_CHECKING:
    from hitscan._queries import Queries
    from hitscan._results import Hits

#: Pixels along the longer side of a picture.
_PIXELS = 480
_MARGIN = 0.08
_MOST_RAYS = 200


def plot(
    shape: Queries, hits: Hits | None, ax: Any, azimuth: float, elevation: float, bounds: object, pixels: int | None
) -> Any:
    """Draws a shape or scene on matplotlib axes: see `Queries.plot`."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs the package matplotlib; install it, or hitscan[plot]") from None
    _check_pixels(pixels)
    low, high = _finite_bounds(shape, hits, bounds)
    if ax is None:
        ax = pyplot.subplots(layout="constrained")[1]
    draw = _draw_plane if shape.dimension == 2 else _draw_space
    axes = _axes_of_view(azimuth, elevation)
    draw(shape, hits, ax, (low, high), axes, pixels or _PIXELS)
    ax.set_aspect("equal")
    return ax


def _check_pixels(pixels: object) -> None:
    if pixels is None:
        return
    if isinstance(pixels, bool) or not isinstance(pixels, int | np.integer):
        raise TypeError(f"pixels: {pixels!r} is no number of pixels; give an integer, or None")
    if pixels < 1:
        raise ValueError(f"pixels: {pixels} is no number of pixels; give 1 or more, or None for {_PIXELS}")


def _finite_bounds(shape: Queries, hits: Hits | None, given: object) -> tuple[Any, Any]:
    if given is not None:
        box = points("bounds", given, shape.dimension).astype(np.float64)
        if box.shape != (2, shape.dimension):
            raise ValueError(f"bounds: shape {box.shape}; the shape (2, {shape.dimension}) is needed")
        low, high = box
    else:
        low, high = shape.bounds.astype(np.float64)
        if hits is not None and hits.count:
            hit_points = hits.point[hits.hit]
            ends = [hit_points.min(0), hit_points.max(0)]
            low, high = (np.where(np.isfinite(end), end, hit) for end, hit in zip((low, high), ends, strict=True))
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
        raise ValueError(f"bounds: {low.tolist()} to {high.tolist()} is no finite box; give bounds=(low, high)")
    room = max(float((high - low).max()), 1e-30) * _MARGIN
    return low - room, high + room


def _axes_of_view(azimuth: float, elevation: float) -> Any:
    """Right, up and backward of a camera in the world, one in each row."""
    a, e = np.radians(azimuth), np.radians(elevation)
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    back = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    return np.array([right, np.cross(back, right), back])


def _grid(low: Any, high: Any, pixels: int) -> tuple[Any, Any]:
    """Centers of the pixels of a picture from `low` to `high`."""
    size = high - low
    count = np.maximum(1, np.round(pixels * size / size.max())).astype(int)
    x, y = (low[i] + (np.arange(count[i]) + 0.5) * size[i] / count[i] for i in range(2))
    return np.meshgrid(x, y)


def _draw_space(shape: Queries, hits: Hits | None, ax: Any, box: tuple[Any, Any], axes: Any, pixels: int) -> None:
    corners = np.stack(np.meshgrid(*zip(*box, strict=True), indexing="ij"), -1).reshape(-1, 3) @ axes.T
    low, high = corners.min(0), corners.max(0)
    u, v = _grid(low[:2], high[:2], pixels)
    origins = np.stack([u, v, np.full_like(u, high[2])], -1) @ axes
    seen = shape.cast(
        origins.astype(shape.dtype), (-axes[2]).astype(shape.dtype), t_max=float(high[2] - low[2]),
        fields=("hit", "normal", "object"), keep_rays=False,
    )  # fmt: skip
    light = axes.T @ np.array([0.3, 0.5, 0.81])
    shade = 0.35 + 0.65 * np.abs(np.nan_to_num(seen.normal) @ light)
    picture = np.where(seen.hit[..., None], _colors(seen.object) * shade[..., None], 1.0)
    ax.imshow(picture, origin="lower", extent=(low[0], high[0], low[1], high[1]), interpolation="bilinear")
    if hits is not None and hits.count:
        at = hits.point[hits.hit] @ axes.T
        drawn = ax.scatter(at[:, 0], at[:, 1], s=6, c=hits.distance[hits.hit], cmap="viridis", linewidths=0)
        ax.figure.colorbar(drawn, ax=ax, label="distance along the ray", shrink=0.8)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_xlabel("to the right of the view")
    ax.set_ylabel("up in the view")


def _draw_plane(shape: Queries, hits: Hits | None, ax: Any, box: tuple[Any, Any], axes: Any, pixels: int) -> None:
    low, high = box
    u, v = _grid(low, high, pixels)
    centers = np.stack([u, v], -1).astype(shape.dtype)
    found = shape.closest_point(centers)
    inside = shape.contains(centers)
    pixel = float((high - low).max()) / pixels
    line = (found.distance <= 0.9 * pixel)[..., None]
    picture = np.where(inside[..., None], 1 - 0.45 * (1 - _colors(found.object)), 1.0)
    picture = np.where(line, _colors(found.object) * 0.6, picture)
    ax.imshow(picture, origin="lower", extent=(low[0], high[0], low[1], high[1]), interpolation="bilinear")
    if hits is not None and hits.count:
        at, distance = hits.point[hits.hit], hits.distance[hits.hit]
        points_drawn = ax.scatter(at[:, 0], at[:, 1], s=14, c=distance, cmap="viridis", zorder=3)
        ax.figure.colorbar(points_drawn, ax=ax, label="distance along the ray", shrink=0.8)
        few = slice(None, None, max(1, len(at) // _MOST_RAYS))
        normal = hits.normal[hits.hit][few] * 0.06 * float((high - low).max())
        ax.quiver(
            *at[few].T,
            *normal.T,
            angles="xy",
            scale_units="xy",
            scale=1,
            width=0.003,
            color="0.25",
            zorder=2,
            label="normals",
        )
        ax.legend(loc="upper right")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_xlabel("x")
    ax.set_ylabel("y")


def _colors(objects: Any) -> Any:
    """A color for each object."""
    from matplotlib import colormaps

    return colormaps["tab10"](np.where(objects < 0, 0, objects % 10))[..., :3]
