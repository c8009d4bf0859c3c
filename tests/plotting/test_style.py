import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hcvrp import wording
from hcvrp.plotting import style


def test_twenty_vehicles_have_twenty_colours_and_forty_differ_in_colour_and_shape():
    assert len({style.colour(v) for v in range(20)}) == 20
    assert len({(style.colour(v), style.shape(v)) for v in range(40)}) == 40
    assert len({(v % len(style.HUES), style.shape(v)) for v in range(40)}) == 40


def test_the_first_colours_are_okabe_and_itos():
    assert [style.colour(v) for v in range(3)] == ["#0072b2", "#d55e00", "#009e73"]


def test_neighbouring_trips_differ_in_tint_and_dashes():
    assert style.tint(0, 0) == style.colour(0) == "#0072b2"
    assert style.tint(0, 1) == "#66aad1"  # 0.6 of the colour, 0.4 of white
    assert [style.dash(t) for t in range(5)] == [*style.DASHES, ()]


def test_text_takes_the_stronger_contrast():
    assert style.text_on("#000000") == "#ffffff"
    assert style.text_on("#ffffff") == style.INK
    assert style.text_on("#0072b2") == "#ffffff"
    assert style.text_on("#e69f00") == style.INK


def test_marker_area_follows_demand():
    none, half, full = style.radii(np.array([0.0, 2.0, 4.0]))
    assert full == pytest.approx(4.6)
    assert [(none / full) ** 2, (half / full) ** 2] == pytest.approx([0.25, 0.625])
    assert style.radii(np.zeros(3)).tolist() == pytest.approx([2.3] * 3)
    assert style.radii(np.ones(400)).max() == pytest.approx(2)
    assert style.radii(np.ones(9000)).max() == pytest.approx(1)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.00012347, "0.0001235"),
        (4.66785, "4.668"),
        (22, "22.00"),
        (1234.56, "1235"),
        (123456.7, "123457"),
        (123456789.0, "123456789"),
        (1.5e300, "1.5e+300"),
        (2.5e-300, "2.5e-300"),
    ],
)
def test_numbers_have_four_figures_and_powers_only_if_huge_or_tiny(value, text):
    assert wording.number(value) == text


def test_whole_quantities_have_no_point():
    assert [wording.brief(v) for v in (20.0, 0.0, 2.5, 1200.5, 0.1 + 0.2, 1234567.8, 1e300)] == [
        "20",
        "0",
        "2.5",
        "1200.5",
        "0.3",
        "1234568",
        "1e+300",
    ]


def test_hours_are_written_as_on_a_clock():
    assert [wording.time(t, hours=True) for t in (0, 0.5, 1.999, 26.25)] == [
        "0:00",
        "0:30",
        "2:00",
        "26:15",
    ]
    assert wording.time(0.5, hours=False) == "0.5000"


def test_clock_ticks_are_round_minutes_hours_or_days():
    assert style.clock_ticks(1.07, most=6) == [0, 0.25, 0.5, 0.75, 1]
    assert style.clock_ticks(9, most=6) == [0, 2, 4, 6, 8]
    assert style.clock_ticks(200, most=6) == [0, 48, 96, 144, 192]
    assert style.clock_ticks(0, most=6) == [0]


def test_a_crowded_map_shows_less():
    few, many = style.detail(40, 10), style.detail(10_000, 1_676)
    assert few == style.Detail(line=1.5, leg=0.65, stops=True, dashed=True, arrows=True)
    assert many == style.Detail(line=0.5, leg=0.0, stops=False, dashed=False, arrows=False)


def test_no_vehicle_is_black():
    darkest = min(sum(bytes.fromhex(style.colour(v)[1:])) for v in range(300))
    assert darkest == min(sum(bytes.fromhex(style.colour(v)[1:])) for v in range(24))


def test_text_is_one_printable_line():
    assert wording.tidy(" a\nb\x00c\ud800 ") == "a b c"
    assert style.shorten("a long name", 7) == "a long…"
    assert style.shorten("a name", 6) == "a name"


def test_ticks_by_hand():
    assert style.ticks(4.8, most=6) == [0, 1, 2, 3, 4]
    assert style.ticks(22, most=6) == [0, 5, 10, 15, 20]
    assert style.ticks(0, most=6) == [0]
    assert style.ticks(0.7353, most=5) == pytest.approx([0, 0.2, 0.4, 0.6])


@given(st.floats(1e-9, 1e12))
def test_ticks_are_few_and_within_the_limit(limit):
    marks = style.ticks(limit, most=6)
    assert 3 <= len(marks) <= 7
    assert marks[0] == 0
    assert marks[-1] <= limit * (1 + 1e-9)
