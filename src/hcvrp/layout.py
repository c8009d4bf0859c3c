"""A place in the plane for every node, whether or not the instance says one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hcvrp.instance import Floats, Instance


def layout(instance: Instance) -> Floats:
    """Planar coordinates (x, y) of the depot and the customers, shape (n+1, 2).

    Planar coordinates are taken as they are; latitudes and longitudes are projected by
    `equirectangular`; an instance with a matrix alone is laid out by `classical_scaling`.
    """
    if instance.coordinates is None:
        return classical_scaling(instance.distances)
    if instance.metric == "great-circle":
        return equirectangular(instance.coordinates)
    return instance.coordinates


def equirectangular(degrees: Floats) -> Floats:
    """(lat, lon) in degrees as x = lon · cos φ, y = lat, where φ is the mean latitude.

    True to scale along φ, north up; good for a city or a country (Snyder 1987, p. 90).
    Longitudes are counted from the depot the short way round, so that a fleet on both sides of
    the date line stays together.
    """
    lat, lon = degrees[:, 0], degrees[:, 1]
    lon = lon[0] + (lon - lon[0] + 180) % 360 - 180
    return np.column_stack((lon * np.cos(np.radians(lat.mean())), lat))


def classical_scaling(distances: Floats) -> Floats:
    """The plane in which the nodes' distances come closest to `distances`.

    Classical multidimensional scaling (Torgerson 1952): with D the symmetrised distances and
    J = I − 11ᵀ/n, the two leading eigenpairs of

        B = −½ J D² J        (D² entry by entry)

    give the coordinates √λ · v. Distances between points of a plane are met exactly. The centroid
    is the origin, and each axis points to its farthest node, so the answer is unique.
    """
    squared = ((distances + distances.T) / 2) ** 2
    centred = squared - squared.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(-centred / 2)  # ascending
    values, vectors = values[:-3:-1], vectors[:, :-3:-1]
    # Below rounding error an eigenvalue is zero; its root would be visible noise.
    noise = len(distances) * np.finfo(np.float64).eps * abs(values[0])
    points = vectors * np.sqrt(np.where(values > noise, values, 0.0))
    farthest = np.take_along_axis(points, np.abs(points).argmax(axis=0)[None], axis=0)
    return np.asarray(points * np.where(farthest < 0, -1.0, 1.0))


def unit_square(points: Floats) -> Floats:
    """The points within [0, 1]²; those that fill at least half of it already stay as they are."""
    extent = _extent(points)
    if points.min() >= 0 and points.max() <= 1 and extent >= 0.5:
        return points
    return np.asarray((points - points.min(axis=0)) / (extent or 1.0))


def scale(points: Floats, distances: Floats) -> float:
    """Distance per unit of length between the points: the least-squares fit of all pairs.

    Whatever the distances are, kilometres by road or degrees apart, divided by this number they
    are what a network sees between the points.
    """
    apart = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    total = float((apart**2).sum())
    return float((distances * apart).sum()) / total or 1.0 if total else 1.0


def own_scale(instance: Instance, points: Floats) -> float | None:
    """The scale where the points are the instance's own, moved and shrunk: by how much."""
    if not instance.is_planar:
        return None
    return _extent(layout(instance)) / (_extent(points) or 1.0) or 1.0


def _extent(points: Floats) -> float:
    return float(np.ptp(points, axis=0).max())
