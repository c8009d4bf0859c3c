"""A place in the plane for every node, whether or not the instance says one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hcvrp.instance import Floats, Instance

BLOCK, MOST_KEPT = 4, 8
"""Vectors by which the search for eigenvectors grows, and that it keeps when it has two blocks
more. Eigenvalues that occur as often as a block is large are found as often."""
MOST_STEPS = 60
"""Distances that need more, such as random ones, lie in no plane anyway."""
TOLERANCE = 1e-12
"""Of an eigenpair's residual, by the leading eigenvalue."""

Check = Callable[[], None]
"""Called every now and then by what takes its time; it may raise."""


def layout(instance: Instance, check: Check = lambda: None) -> Floats:
    """Planar coordinates (x, y) of the depot and the customers, shape (n+1, 2).

    Planar coordinates are taken as they are; latitudes and longitudes are projected by
    `equirectangular`; an instance with a matrix alone is laid out by `classical_scaling`.
    """
    if instance.coordinates is None:
        return classical_scaling(instance.distances, check)
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


def classical_scaling(distances: Floats, check: Check = lambda: None) -> Floats:
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
    values, vectors = _leading_pair(-centred / 2, check)
    # Below rounding error an eigenvalue is zero; its root would be visible noise.
    noise = len(distances) * np.finfo(np.float64).eps * abs(values[0])
    points = vectors * np.sqrt(np.where(values > noise, values, 0.0))
    farthest = np.take_along_axis(points, np.abs(points).argmax(axis=0)[None], axis=0)
    return np.asarray(points * np.where(farthest < 0, -1.0, 1.0))


def _leading_pair(matrix: Floats, check: Check) -> tuple[Floats, Floats]:
    """The two largest eigenvalues of a symmetric matrix and their eigenvectors, as columns.

    Block Davidson (Davidson 1975; without preconditioner the spaces are those of Lanczos): within
    the span of orthonormal rows Q the eigenpairs (θ, y) of QAQᵀ are nearest to those of A. What
    Ay − θy is outside the span joins it; once it is large, only its leading half is kept. A layout
    needs ten steps of n² or so. einsum has loops of its own, and problems as small as Q are solved
    on one thread: the threads that BLAS starts for more wait, on a busy machine, a thousand times
    as long as they work.
    """
    count = len(matrix)
    basis, images = np.empty((0, count)), np.empty((0, count))  # rows q and A q
    fresh = np.random.default_rng(0).standard_normal((BLOCK, count))
    for _ in range(MOST_STEPS):
        check()
        for vector in fresh:
            unit = _orthogonal(vector, basis)
            if unit is not None and len(basis) < count:
                basis = np.vstack((basis, unit))
                images = np.vstack((images, np.einsum("ij,j->i", matrix, unit)))
        values, mixes = np.linalg.eigh(np.einsum("kn,ln->kl", basis, images))  # ascending
        kept = mixes[:, ::-1][:, : MOST_KEPT if len(basis) > MOST_KEPT + BLOCK else None]
        basis, images = (np.einsum("kn,kv->vn", rows, kept) for rows in (basis, images))
        values = values[::-1]
        fresh = images[:BLOCK] - basis[:BLOCK] * values[:BLOCK, None]
        if len(kept) == count or np.abs(fresh[:2]).max() <= TOLERANCE * np.abs(values[0]):
            break
    return values[:2], basis[:2].T


def _orthogonal(vector: Floats, basis: Floats) -> Floats | None:
    """The vector's part across the basis, of length 1; nothing where the vector is zero.

    Of a vector within the basis rounding errors are left, whose part across it is as good.
    """
    for _ in range(3):
        vector = vector - np.einsum("k,kn->n", np.einsum("kn,n->k", basis, vector), basis)
        length = np.sqrt(np.einsum("n,n->", vector, vector))
        if length == 0:
            return None
        vector = vector / length
    return vector


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
