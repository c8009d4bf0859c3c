"""VRPLIB files: the dialects by hand, the matrix layouts, and what is refused."""

import numpy as np
import pytest

from hcvrp import InputError, Instance, Solution, Vehicle
from hcvrp.formats import judge, read_solution, sol, vrplib, write

PLAIN = """NAME : three
COMMENT : made by hand
TYPE : CVRP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
1 0 0
2 3 4
3 6.5 8
DEMAND_SECTION
1 0
3 7
2 5
DEPOT_SECTION
 1
 -1
EOF
whatever follows
"""
MATRIX = """TYPE : ACVRP
DIMENSION : 3
VEHICLES : 2
CAPACITY : 10
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : {layout}
EDGE_WEIGHT_SECTION
{weights}
DEMAND_SECTION
1 0
2 5
3 7
DEPOT_SECTION
1
-1
"""


def refusal(text, fleet=None):
    with pytest.raises(InputError) as caught:
        vrplib.parse_instance(text, fleet)
    return str(caught.value)


def test_a_plain_file_with_a_fleet_from_elsewhere():
    instance = vrplib.parse_instance(PLAIN, [7, 12])
    assert instance.name == "three"
    assert instance.demands.tolist() == [5, 7]
    assert instance.coordinates.tolist() == [[0, 0], [3, 4], [6.5, 8]]
    assert instance.distances[1, 2] == np.hypot(3.5, 4)
    assert instance.vehicles == (Vehicle(7), Vehicle(12))


def test_a_plain_file_without_a_fleet_shows_how_to_give_one():
    hint = (
        "the file has a CAPACITY of 10 but does not say how many vehicles there are:"
        " add --fleet 10x{0} on the command line, or fleet=[10] * {0} in Python"
    )
    assert refusal(PLAIN) == hint.format(2)  # demands of 5 and 7
    assert refusal(PLAIN.replace("NAME : three", "NAME : three-n3-k7")) == hint.format(7)
    assert refusal(PLAIN.replace("NAME : three", f"NAME : three-k{'9' * 5000}")) == hint.format(2)
    assert "10x1000000 on" in refusal(PLAIN.replace(" 5\n", " 1e308\n").replace(" 7\n", " 1e308\n"))
    assert refusal(PLAIN.replace("CAPACITY : 10\n", "")).startswith(
        "the file names no fleet: give one, such as --fleet 20,25,30"
    )


def test_vehicles_and_capacity_are_equal_vehicles():
    text = PLAIN.replace("CAPACITY : 10", "CAPACITY : 10\nVEHICLES : 3")
    assert vrplib.parse_instance(text).vehicles == (Vehicle(10),) * 3


@pytest.mark.parametrize("section", ["VEHICLES_UNIT_DISTANCE_COST", "UNIT_DISTANCE_COST"])
def test_a_unit_cost_is_one_over_the_speed(section):
    fleet = f"CAPACITY_SECTION\n1 10\n2 20\n{section}_SECTION\n1 2\n2 4\nEOF"
    text = PLAIN.replace("CAPACITY : 10\n", "").replace("EOF", fleet)
    assert vrplib.parse_instance(text).vehicles == (Vehicle(10, 0.5), Vehicle(20, 0.25))


def test_taillards_kinds_are_one_vehicle_each():
    kinds = (
        "CAPACITIES\n20 30\nFIXED_COSTS\n9 9\nCOST_COEFFICIENTS\n1.0 2.0\n"
        "VEHICLES_AVAILABLE\n20 20\nEOF"
    )
    text = PLAIN.replace("EOF", kinds).replace("TYPE : CVRP", "TYPE : HVRP\nVEHICLES : 5")
    assert vrplib.parse_instance(text).vehicles == (Vehicle(20, 1), Vehicle(30, 0.5))
    alone = PLAIN.replace("EOF", "CAPACITIES\n20 30\nEOF")
    assert vrplib.parse_instance(alone).vehicles == (Vehicle(20), Vehicle(30))


@pytest.mark.parametrize(
    ("layout", "weights", "expected"),
    [
        ("FULL_MATRIX", "9999 1 2\n3 9999 4\n5 6 9999", [[0, 1, 2], [3, 0, 4], [5, 6, 0]]),
        ("LOWER_ROW", "1\n2 3", [[0, 1, 2], [1, 0, 3], [2, 3, 0]]),
        ("UPPER_ROW", "1 2\n3", [[0, 1, 2], [1, 0, 3], [2, 3, 0]]),
        ("LOWER_DIAG_ROW", "0\n1 0\n2 3 0", [[0, 1, 2], [1, 0, 3], [2, 3, 0]]),
        ("UPPER_DIAG_ROW", "0 1 2\n0 3\n0", [[0, 1, 2], [1, 0, 3], [2, 3, 0]]),
    ],
)
def test_matrix_layouts(layout, weights, expected):
    instance = vrplib.parse_instance(MATRIX.format(layout=layout, weights=weights))
    assert instance.distances.tolist() == expected
    assert instance.coordinates is None


def test_upper_and_lower_rows_of_four_nodes_agree():
    head = MATRIX.replace("DIMENSION : 3", "DIMENSION : 4").replace("3 7\n", "3 7\n4 1\n")
    lower = vrplib.parse_instance(head.format(layout="LOWER_ROW", weights="1 2 3 4 5 6"))
    upper = vrplib.parse_instance(head.format(layout="UPPER_ROW", weights="1 2 4 3 5 6"))
    assert lower == upper
    assert lower.distances[3].tolist() == [4, 5, 6, 0]


def test_a_matrix_may_come_with_a_picture():
    text = MATRIX.format(layout="LOWER_ROW", weights="1 2 3")
    text += "DISPLAY_DATA_SECTION\n1 0 0\n2 1 0\n3 0 1\nEOF\n"
    instance = vrplib.parse_instance(text)
    assert instance.coordinates.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert instance.distances[1, 2] == 3


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("TYPE : CVRP", "TYPE : VRPTW", "TYPE must be one of CVRP, ACVRP, HVRP, HCVRP, HFVRP, not"),
        ("DIMENSION : 3\n", "", "DIMENSION is missing"),
        ("DIMENSION : 3", "DIMENSION : x", "DIMENSION is not a number: 'x'"),
        ("DIMENSION : 3", "DIMENSION : 4", "DEMAND_SECTION must hold 4 rows of 2 numbers, not 6"),
        ("DIMENSION : 3", "DIMENSION : 3\nDISTANCE : 9", "line 5: unknown keyword 'DISTANCE'"),
        ("CAPACITY : 10", "CAPACITY : 10\nCAPACITY : 9", "line 7: CAPACITY is given twice"),
        ("EUC_2D", "GEO", "EDGE_WEIGHT_TYPE must be EUC_2D or EXPLICIT, not 'GEO'"),
        ("EUC_2D", "CEIL_2D", "EDGE_WEIGHT_TYPE must be EUC_2D or EXPLICIT, not 'CEIL_2D'"),
        ("EUC_2D", "ATT", "EDGE_WEIGHT_TYPE must be EUC_2D or EXPLICIT, not 'ATT'"),
        ("EUC_2D", "EXPLICIT", "EDGE_WEIGHT_SECTION is missing"),
        ("2 3 4", "2 3 four", "NODE_COORD_SECTION is not a number: 'four'"),
        ("2 3 4", "2 3 nan", "NODE_COORD_SECTION must be finite, not nan"),
        ("2 3 4", "7 3 4", "NODE_COORD_SECTION has no row 2"),
        ("2 5", "1 5", "DEMAND_SECTION has no row 2"),
        ("1 0\n3 7", "1 4\n3 7", "DEMAND_SECTION: the demand of the depot must be 0, not 4"),
        (" 1\n -1", " 2\n -1", "DEPOT_SECTION must name node 1 alone, not [2]"),
        (" 1\n -1", " 1 2\n -1", "DEPOT_SECTION must name node 1 alone, not [1, 2]"),
        ("DEPOT_SECTION\n 1\n -1\n", "", "DEPOT_SECTION is missing"),
        ("CAPACITY : 10", "CAPACITY : ten\nVEHICLES : 2", "CAPACITY is not a number: 'ten'"),
        ("CAPACITY : 10", "CAPACITY : 10\nVEHICLES : 99999", "a fleet has at most 10000 vehicles"),
        ("EOF", "SERVICE_TIME_SECTION\n1 0\nEOF", "line 18: unknown keyword 'SERVICE_TIME"),
        ("EOF", "CAPACITIES\n9 9\nCOST_COEFFICIENTS\n1\nEOF", "COST_COEFFICIENTS must hold 2 num"),
        ("EOF", "CAPACITIES\n9\nCOST_COEFFICIENTS\n0\nEOF", "COST_COEFFICIENTS must be positive"),
    ],
)  # fmt: skip
def test_what_is_refused(old, new, expected):
    assert refusal(PLAIN.replace(old, new, 1)).startswith(expected)


def test_a_capacity_section_must_fit_the_number_of_vehicles():
    text = PLAIN.replace("CAPACITY : 10", "VEHICLES : 3").replace(
        "EOF", "CAPACITY_SECTION\n1 9\nEOF"
    )
    assert refusal(text) == "CAPACITY_SECTION must hold 3 rows of 2 numbers, not 2 numbers"


@pytest.mark.parametrize(
    ("layout", "weights", "expected"),
    [
        (
            "LOWER_COL",
            "1 2 3",
            "EDGE_WEIGHT_FORMAT must be one of FULL_MATRIX, LOWER_ROW, UPPER_RO",
        ),
        ("LOWER_ROW", "1 2", "EDGE_WEIGHT_SECTION must hold 3 numbers (LOWER_ROW), not 2"),
        ("LOWER_DIAG_ROW", "1 2", "EDGE_WEIGHT_SECTION must hold 6 numbers (LOWER_DIAG_ROW), not"),
        ("FULL_MATRIX", "1 2", "EDGE_WEIGHT_SECTION must hold 9 numbers (FULL_MATRIX), not 2"),
    ],
)
def test_matrices_that_are_refused(layout, weights, expected):
    assert refusal(MATRIX.format(layout=layout, weights=weights)).startswith(expected)


LINE = Instance(
    [1, 1, 1, 2],
    [Vehicle(2, 1), Vehicle(4, 2)],
    depot=(0, 0),
    customers=[(k, 0) for k in (1, 2, 3, 9)],
)


def test_a_file_is_written_as_other_solvers_read_it():
    assert vrplib.format_instance(LINE).splitlines() == [
        "TYPE : HVRP", "DIMENSION : 5", "VEHICLES : 2", "EDGE_WEIGHT_TYPE : EUC_2D",
        "NODE_COORD_SECTION", "1 0 0", "2 1 0", "3 2 0", "4 3 0", "5 9 0",
        "DEMAND_SECTION", "1 0", "2 1", "3 1", "4 1", "5 2",
        "DEPOT_SECTION", "1", "-1",
        "CAPACITY_SECTION", "1 2", "2 4",
        "VEHICLES_UNIT_DISTANCE_COST_SECTION", "1 1", "2 0.5",
        "VEHICLES_RELOAD_DEPOT_SECTION", "1 1", "2 1", "EOF",
    ]  # fmt: skip


def test_trips_without_vehicles_go_longest_first_to_whoever_finishes_first():
    # Lengths 18, 6, 4, 2 at speeds 1 and 2: vehicle 2 takes the first (done at 9), vehicle 1 the
    # second (6), vehicle 1 the third (10 against 11), and vehicle 2 the last (10 against 12).
    answer = sol.parse_solution("Route #1: 1\nroute 2: 2\nRoute #3: 3\nRoute #4: 4\nCost 30\n")
    assert answer.solution(LINE) == Solution([[[2], [3]], [[1], [4]]])


def test_a_trip_too_heavy_for_the_faster_vehicle_goes_to_the_slower():
    slow_large = LINE.with_vehicles([Vehicle(2, 10), Vehicle(3, 1)])
    answer = sol.parse_solution("Route #1: 1 2 3\nRoute #2: 4")
    assert answer.solution(slow_large) == Solution([[[4]], [[1, 2, 3]]])


def test_a_trip_that_nobody_can_carry_goes_to_the_largest_and_the_referee_complains():
    answer = sol.parse_solution("Route #1: 1 2 3 4").solution(LINE)
    assert answer == Solution([[], [[1, 2, 3, 4]]])
    assert answer.violations(LINE) == ["trip 1 of vehicle 2 carries 5, more than its capacity of 4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cost 5", "the file has no line such as `Route #1: 4 2 7`"),
        ("Route #1: 0 1", "line 1: customer must be a whole number of at least 1, not 0"),
        ("Route #1: one", "line 1: customer is not a number: 'one'"),
        ("Route #1: 1\nRoute #1: 2", "line 2: number 1 is given twice"),
        ("Route #1: 1\nVehicle #1: 0", "line 2: vehicle must be a whole number of at least 1, not"),
        (
            "Route #1: 1\nRoute #2: 2\nVehicle #1: 1",
            "route 2 needs both a line `Route #2:` and a `",
        ),
        (
            f"Route #{'1' * 5000}: 1\nVehicle #2: 1\nVehicle #10: 1",
            "route 2 needs both a line `Route #2:` and a `",
        ),
        ("route" + " " * 100_000 + "x", "the file has no line such as `Route #1: 4 2 7`"),
        ("Route #1: 9", "the solution visits customer 9, the instance has customers 1 to 4"),
        (
            "Route #1: 1\nVehicle #1: 3",
            "the solution has routes for 3 vehicles, the instance has 2",
        ),
    ],
)
def test_solutions_that_are_refused(tmp_path, text, expected):
    path = tmp_path / "bad.sol"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_solution(path, LINE)
    assert str(caught.value).startswith(f"{path}: {expected}")


def test_a_complaint_names_the_route_of_the_file(tmp_path):
    path = tmp_path / "plan.sol"
    path.write_text("Route #4: 4\nRoute #9:\nRoute #7: 1 2 3\nVehicle #4: 1\nVehicle #7: 1\n")
    path.write_text(path.read_text() + "Vehicle #9: 2\n")
    [(solution, violations)] = judge(path, [LINE.with_vehicles([Vehicle(2), Vehicle(4)])])
    assert solution == Solution([[[4], [1, 2, 3]], [[]]])
    assert violations == [
        "route 7 of vehicle 1 carries 3, more than its capacity of 2",
        "route 9 of vehicle 2 is empty",
    ]
    path.write_text("Route #7: 1 2 3 4\n")  # whoever drives it
    [(_, violations)] = judge(path, [LINE.with_vehicles([3])])
    assert violations == ["route 7 of vehicle 1 carries 5, more than its capacity of 3"]


def test_trips_alone_need_their_instance():
    with pytest.raises(InputError, match="read it together with its instance"):
        sol.parse_solution("Route #1: 1").solution()


def test_pyvrp_reads_the_same_problem(tmp_path):
    pyvrp = pytest.importorskip("pyvrp")
    path = tmp_path / "line.vrp"
    write(path, LINE.with_vehicles([Vehicle(2, 1), Vehicle(4, 0.5)]))
    data = pyvrp.read(path)
    assert [kind.capacity for kind in data.vehicle_types()] == [[2], [4]]
    assert [kind.unit_distance_cost for kind in data.vehicle_types()] == [1, 2]
    assert [list(kind.reload_depots) for kind in data.vehicle_types()] == [[0], [0]]
    assert [client.delivery for client in data.clients()] == [[1], [1], [1], [2]]
