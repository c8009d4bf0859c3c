"""Coordinates for instances that have only distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcvrp.instance import Instance


def layout(instance: Instance) -> NDArray[np.float64]:
    """Planar coordinates of all nodes, (n+1, 2): the instance's own, or made from distances.

    Classical multidimensional scaling (Torgerson 1952): with J = I − 11ᵀ/N and the symmetrised
    distances D, the two leading eigenvectors of −½ J D² J scaled by the roots of their
    eigenvalues.
    """
    if instance.coordinates is not None:
        return instance.coordinates
    squared = ((instance.distances + instance.distances.T) / 2) ** 2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    values, vectors = values[-2:][::-1], vectors[:, -2:][:, ::-1]
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
