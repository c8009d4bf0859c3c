import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hcvrp
from hcvrp.layout import classical_scaling, layout


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def test_planar_coordinates_stay_as_they_are():
    instance = hcvrp.generate(5, 2, seed=3)
    assert np.array_equal(layout(instance), instance.coordinates)


def test_coordinates_win_over_the_matrix():
    instance = hcvrp.Instance(
        [1], [1], depot=(0, 0), customers=[(1, 2)], distances=[[0, 9], [9, 0]]
    )
    assert layout(instance).tolist() == [[0, 0], [1, 2]]


def test_longitude_shrinks_with_the_cosine_of_the_mean_latitude():
    instance = hcvrp.Instance([1], [1], depot=(59, 10), customers=[(61, 12)], metric="great-circle")
    # cos 60° is one half; north is up.
    assert layout(instance) == pytest.approx(np.array([[5, 59], [6, 61]]))


def test_the_date_line_does_not_tear_the_map():
    instance = hcvrp.Instance(
        [1, 1], [2], depot=(0, 179), customers=[(0, -179), (0, 178)], metric="great-circle"
    )
    assert layout(instance)[:, 0] == pytest.approx([179, 181, 178])


def test_a_matrix_of_planar_distances_gives_the_points_back():
    points = np.random.default_rng(4).uniform(size=(30, 2))
    found = layout(hcvrp.Instance(np.ones(29), [30], distances=distances(points)))
    assert np.abs(distances(found) - distances(points)).max() < 1e-9


def test_one_customer_lies_opposite_the_depot():
    (x0, y0), (x1, y1) = classical_scaling(np.array([[0.0, 4], [4, 0]]))
    assert sorted((x0, x1)) == pytest.approx([-2, 2])
    assert (y0, y1) == (0, 0)


def test_an_asymmetric_matrix_is_laid_out_by_its_mean():
    one_way = np.array([[0.0, 3, 4], [5, 0, 5], [4, 5, 0]])
    found = classical_scaling(one_way)
    assert distances(found)[0, 1] == pytest.approx(4)


def test_no_distance_at_all_is_one_point():
    assert not classical_scaling(np.zeros((4, 4))).any()


def by_road(customers):
    """A matrix that no plane has: there and back differ, and detours too."""
    draw = np.random.default_rng(customers)
    return distances(draw.uniform(size=(customers + 1, 2))) * draw.uniform(
        1, 1.5, (customers + 1, customers + 1)
    )


@pytest.mark.parametrize("customers", [3, 14, 15, 16, 40, 200])
def test_the_axes_are_the_leading_eigenvectors(customers):
    matrix = by_road(customers)
    squared = ((matrix + matrix.T) / 2) ** 2
    middle = np.eye(len(matrix)) - 1 / len(matrix)
    values, vectors = np.linalg.eigh(-middle @ squared @ middle / 2)
    expected = np.abs(vectors[:, :-3:-1] * np.sqrt(values[:-3:-1]))
    found = classical_scaling(matrix)
    assert np.abs(np.abs(found) - expected).max() < 1e-9


def test_axes_of_equal_length_are_both_found():
    points = np.array([(x, y) for x in range(9) for y in range(9)], dtype=float)
    found = classical_scaling(distances(points))
    assert np.abs(distances(found) - distances(points)).max() < 1e-9


def test_a_layout_can_be_called_off():
    class EnoughError(Exception):
        pass

    calls = []

    def check():
        calls.append(None)
        if len(calls) == 3:
            raise EnoughError

    instance = hcvrp.Instance(np.ones(200), [30], distances=by_road(200))
    with pytest.raises(EnoughError):
        layout(instance, check)
    assert len(calls) == 3


@given(arrays(np.float64, st.tuples(st.integers(2, 12), st.just(2)), elements=st.integers(-9, 9)))
def test_scaling_recovers_coincident_and_collinear_points(points):
    found = classical_scaling(distances(points))
    assert np.abs(distances(found) - distances(points)).max() < 1e-9
    assert np.abs(found.mean(axis=0)).max() < 1e-9
