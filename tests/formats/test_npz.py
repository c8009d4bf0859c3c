"""The arrays of an .npz file, and every way in which they are refused."""

import io
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hcvrp import InputError, Instance, Vehicle, paper_set
from hcvrp.formats import npz

TWO = [
    Instance([1, 2, 3], [4, 5], depot=(0, 0), customers=[(1, 1), (2, 2), (3, 3)], name="a"),
    Instance([6], [Vehicle(7, 0.5, "van")], depot=(8, 9), customers=[(10, 11)]),
]


def arrays_of(data):
    with np.load(io.BytesIO(data)) as archive:
        return {key: archive[key] for key in archive.files}


def packed(arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def test_the_arrays_are_padded_with_zeros():
    arrays = arrays_of(npz.format_dataset(TWO))
    assert arrays["format"] == "hcvrp-dataset"
    assert arrays["version"] == 1
    assert arrays["customers"].tolist() == [3, 1]
    assert arrays["vehicles"].tolist() == [2, 1]
    assert arrays["demands"].tolist() == [[1, 2, 3], [6, 0, 0]]
    assert arrays["capacities"].tolist() == [[4, 5], [7, 0]]
    assert arrays["speeds"].tolist() == [[1, 1], [0.5, 0]]
    assert arrays["coordinates"][1].tolist() == [[8, 9], [10, 11], [0, 0], [0, 0]]
    assert arrays["metric"].tolist() == ["euclidean", "euclidean"]
    assert arrays["names"].tolist() == ["a", ""]
    assert arrays["vehicle_names"].tolist() == [["", ""], ["van", ""]]
    assert "customer_names" not in arrays
    assert "distances" not in arrays


def test_full_rows_need_no_counts():
    arrays = {
        "format": "hcvrp-dataset",
        "version": 1,
        "demands": [[1, 2]],
        "capacities": [[3]],
        "speeds": [[1.0]],
        "coordinates": [[[0, 0], [0, 1], [0, 2]]],
    }
    assert list(npz.parse_dataset(packed(arrays))) == [
        Instance([1, 2], [3], depot=(0, 0), customers=[(0, 1), (0, 2)])
    ]


def test_a_paper_set_is_kept_bit_for_bit():
    dataset = paper_set("v5-c160")[:64]
    assert list(npz.parse_dataset(npz.format_dataset(dataset))) == dataset


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("demands", None, "array demands is missing"),
        ("coordinates", None, "array coordinates is missing (and distances too)"),
        ("demnads", np.zeros(2), "unknown array demnads; known here: format, version, demands,"),
        ("format", np.array("tsp"), "format must be hcvrp-dataset, not tsp"),
        ("format", np.array(1), "array format must hold text"),
        ("version", np.array(2), "version must be 1, not 2"),
        ("version", np.array("1"), "array version must hold whole numbers"),
        ("demands", np.array(["1"]), "array demands must hold numbers"),
        ("demands", np.ones((2, 3), bool), "array demands must hold numbers"),
        ("demands", np.zeros(3), "array demands must have 2 dimensions and numbers, not shape"),
        ("demands", np.zeros((0, 3)), "array demands must have 2 dimensions and numbers, not"),
        ("speeds", np.ones((2, 3)), "array speeds must have shape (2, 2), not (2, 3)"),
        ("customers", np.array([3, 4]), "customers[1] must lie within 1 and 3, not 4"),
        ("vehicles", np.array([0, 1]), "vehicles[0] must lie within 1 and 2, not 0"),
        ("metric", np.array(["euclidean", "taxi"]), "instance 1: metric must be euclidean or"),
        ("demands", np.full((2, 3), np.nan), "instance 0: demands[0] must be finite, not nan"),
        ("capacities", np.full((2, 2), -1.0), "instance 0: vehicle capacity must be positive"),
        ("demands", np.full((2, 3), 9.0), "instance 0: no vehicle can carry customer 1:"),
    ],
)
def test_wrong_arrays_are_named(key, value, expected):
    arrays = arrays_of(npz.format_dataset(TWO))
    if value is None:
        del arrays[key]
    else:
        arrays[key] = value
    with pytest.raises(InputError) as caught:
        npz.parse_dataset(packed(arrays))
    assert str(caught.value).startswith(expected)


def test_a_pickle_is_never_opened():
    buffer = io.BytesIO()
    np.savez(buffer, format=np.array([{"an": "object"}], dtype=object))
    with pytest.raises(InputError, match=r"not a readable \.npz file of plain arrays"):
        npz.parse_dataset(buffer.getvalue())


def test_a_small_file_that_unpacks_to_a_huge_one(monkeypatch):
    monkeypatch.setattr(npz, "BINARY_LIMIT", 2**20)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("demands.npy", bytes(2**21))
    with pytest.raises(InputError, match="the arrays are larger than the limit of 1 MiB"):
        npz.parse_dataset(buffer.getvalue())


@settings(deadline=None)
@given(st.data())
def test_a_damaged_file_is_refused_or_read_but_never_crashes(data):
    whole = bytearray(npz.format_dataset(TWO))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    for damaged in (bytes(whole), bytes(whole[:cut])):
        with suppress(InputError):
            npz.parse_dataset(damaged)


def test_what_an_npz_file_cannot_hold():
    bare = Instance([1], [2], distances=[[0, 1], [1, 0]])
    with pytest.raises(InputError, match=r"only some of the instances have coordinates: an \.npz"):
        npz.format_dataset([*TWO, bare])
    named = Instance([1], [2], distances=[[0, 1], [1, 0]], name="a\0")
    with pytest.raises(InputError, match=r"name 'a\\x00' cannot be kept in an \.npz file"):
        npz.format_dataset([named])
