"""NumPy `.npz` files for large datasets: a few padded arrays, never a pickle.

With N instances of at most n customers and m vehicles each:

    format          "hcvrp-dataset", version 1
    demands         (N, n)             customers  (N,)  how many count in each row
    capacities      (N, m)             vehicles   (N,)  likewise
    speeds          (N, m)
    coordinates     (N, n+1, 2)        depot first; metric (N,) "euclidean" or "great-circle"
    distances       (N, n+1, n+1)      depot first
    names (N,)      customer_names (N, n)      vehicle_names (N, m)      "" where there is none

Coordinates or distances may be absent, but not both; names may be absent; without `customers`
or `vehicles` every row is full. Padding is 0.
"""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hcvrp.errors import InputError
from hcvrp.formats.contents import Dataset
from hcvrp.formats.files import BINARY_LIMIT, blamed
from hcvrp.instance import Instance, Metric, Vehicle

FORMAT, VERSION = "hcvrp-dataset", 1

Array: TypeAlias = NDArray[Any]
Arrays: TypeAlias = Mapping[str, Array]

_AXES: dict[str, tuple[str, ...]] = {
    "format": (),
    "version": (),
    "demands": ("N", "n"),
    "customers": ("N",),
    "capacities": ("N", "m"),
    "speeds": ("N", "m"),
    "vehicles": ("N",),
    "coordinates": ("N", "n+1", "2"),
    "metric": ("N",),
    "distances": ("N", "n+1", "n+1"),
    "names": ("N",),
    "customer_names": ("N", "n"),
    "vehicle_names": ("N", "m"),
}
_TEXTS = ("format", "metric", "names", "customer_names", "vehicle_names")
_COUNTS = ("version", "customers", "vehicles")
_REQUIRED = ("format", "version", "demands", "capacities", "speeds")
_BROKEN = (
    ValueError,
    TypeError,
    OSError,
    EOFError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""Whatever zipfile and NumPy raise at a damaged file."""


# Reading ------------------------------------------------------------------------------------------


def parse_dataset(data: bytes, fleet: Sequence[Vehicle | float] | None = None) -> Dataset:
    """The instances of an `.npz` file; `fleet` replaces their vehicles."""
    arrays = _load(data)
    _check(arrays)
    counts = _counts(arrays)
    return Dataset(
        _instance(arrays, k, n, _vehicles(arrays, k, m) if fleet is None else fleet)
        for k, (n, m) in enumerate(counts)
    )


def _load(data: bytes) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > BINARY_LIMIT:
            raise InputError(f"the arrays are larger than the limit of {BINARY_LIMIT // 2**20} MiB")
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except InputError:
        raise
    except _BROKEN:
        raise InputError("the file is not a readable .npz file of plain arrays") from None


def _check(arrays: Arrays) -> None:
    """Names, types and shapes, before anything is made of them."""
    for key in arrays:
        if key not in _AXES:
            raise InputError(f"unknown array {key}; known here: {', '.join(_AXES)}")
    for key in _REQUIRED:
        if key not in arrays:
            raise InputError(f"array {key} is missing")
    if "coordinates" not in arrays and "distances" not in arrays:
        raise InputError("array coordinates is missing (and distances too)")
    for key, array in arrays.items():
        kinds, wanted = _kinds(key)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds:
            raise InputError(f"array {key} must hold {wanted}")
    for key in ("demands", "capacities"):
        if arrays[key].ndim != 2 or not arrays[key].size:
            shape = arrays[key].shape
            raise InputError(f"array {key} must have 2 dimensions and numbers, not shape {shape}")
    _check_shapes(arrays)
    if arrays["format"] != FORMAT:
        raise InputError(f"format must be {FORMAT}, not {arrays['format']}")
    if arrays["version"] != VERSION:
        raise InputError(f"version must be {VERSION}, not {arrays['version']}")


def _kinds(key: str) -> tuple[str, str]:
    """NumPy's letters for the array's type, and the word for it."""
    if key in _TEXTS:
        return "U", "text"
    return ("iu", "whole numbers") if key in _COUNTS else ("iuf", "numbers")


def _check_shapes(arrays: Arrays) -> None:
    (count, n), m = arrays["demands"].shape, arrays["capacities"].shape[1]
    sizes = {"N": count, "n": n, "m": m, "n+1": n + 1, "2": 2}
    for key, array in arrays.items():
        wanted = tuple(sizes[axis] for axis in _AXES[key])
        if array.shape != wanted:
            raise InputError(f"array {key} must have shape {wanted}, not {array.shape}")


def _counts(arrays: Arrays) -> list[tuple[int, int]]:
    """How many customers and vehicles each instance has."""
    columns = []
    for key, padded in (("customers", "demands"), ("vehicles", "capacities")):
        count, most = arrays[padded].shape
        column = arrays.get(key, np.full(count, most))
        bad = np.flatnonzero((column < 1) | (column > most))
        if len(bad):
            raise InputError(f"{key}[{bad[0]}] must lie within 1 and {most}, not {column[bad[0]]}")
        columns.append(column.tolist())
    return list(zip(*columns, strict=True))


def _instance(arrays: Arrays, k: int, n: int, vehicles: Sequence[Vehicle | float]) -> Instance:
    points = arrays["coordinates"][k, : n + 1] if "coordinates" in arrays else None
    matrix = arrays["distances"][k, : n + 1, : n + 1] if "distances" in arrays else None
    metric = str(arrays["metric"][k]) if "metric" in arrays else "euclidean"
    with blamed(f"instance {k}"):
        return Instance(
            arrays["demands"][k, :n],
            vehicles,
            depot=None if points is None else points[0],
            customers=None if points is None else points[1:],
            distances=matrix,
            metric=cast(Metric, metric),  # Instance refuses any other
            name=_texts(arrays, "names", k) or None,
            customer_names=_texts(arrays, "customer_names", (k, slice(n))),
        )


def _vehicles(arrays: Arrays, k: int, m: int) -> list[Vehicle]:
    names = _texts(arrays, "vehicle_names", (k, slice(m))) or [""] * m
    rows = zip(arrays["capacities"][k, :m], arrays["speeds"][k, :m], names, strict=True)
    with blamed(f"instance {k}"):
        return [Vehicle(float(q), float(s), name or None) for q, s, name in rows]


def _texts(arrays: Arrays, key: str, where: Any) -> Any:
    """The text or texts at that place; None when the array is absent or they are all empty."""
    if key not in arrays or not (texts := arrays[key][where]).astype(bool).any():
        return None
    return texts.tolist()


# Writing ------------------------------------------------------------------------------------------


def format_dataset(instances: Sequence[Instance]) -> bytes:
    """The `.npz` file of the instances."""
    arrays: dict[str, Array] = {"format": np.array(FORMAT), "version": np.array(VERSION)}
    arrays["customers"] = np.array([i.size for i in instances])
    arrays["vehicles"] = np.array([len(i.vehicles) for i in instances])
    arrays["demands"] = _padded([i.demands for i in instances])
    arrays["capacities"] = _padded([i.capacities for i in instances])
    arrays["speeds"] = _padded([i.speeds for i in instances])
    arrays["metric"] = np.array([i.metric for i in instances])
    for key, each in (
        ("coordinates", [i.coordinates for i in instances]),
        ("distances", [i.matrix for i in instances]),
    ):
        given = [array for array in each if array is not None]
        if given and len(given) < len(each):
            raise InputError(
                f"only some of the instances have {key}: an .npz file wants all or none,"
                " a .json file takes both"
            )
        if given:
            arrays[key] = _padded(given)
    arrays |= _name_arrays(instances)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _padded(arrays: Sequence[Array]) -> Array:
    """The arrays in one, each padded with zeros, or empty texts, to the largest."""
    shape = np.max([array.shape for array in arrays], axis=0)
    out = np.zeros((len(arrays), *shape), dtype=np.result_type(*{a.dtype for a in arrays}))
    for k, array in enumerate(arrays):
        out[k][tuple(slice(length) for length in array.shape)] = array
    return out


def _name_arrays(instances: Sequence[Instance]) -> dict[str, Array]:
    named = {
        "names": np.array([_kept(i.name) for i in instances]),
        "customer_names": _padded(
            [np.array([_kept(c) for c in i.customer_names or [None] * i.size]) for i in instances]
        ),
        "vehicle_names": _padded(
            [np.array([_kept(v.name) for v in i.vehicles]) for i in instances]
        ),
    }
    return {key: array for key, array in named.items() if array.astype(bool).any()}


def _kept(name: str | None) -> str:
    """The name as NumPy keeps it; it drops trailing NULs, and "" stands for none."""
    if name is not None and (not name or name.endswith("\0")):
        raise InputError(f"name {name!r} cannot be kept in an .npz file")
    return name or ""
