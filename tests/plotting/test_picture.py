import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import hcvrp
from hcvrp.plotting import plot, style

PNG = b"\x89PNG\r\n\x1a\n"


def by_gid(axes):
    """The axes' artists that have a name of their own."""
    return {artist.get_gid(): artist for artist in axes.get_children() if artist.get_gid()}


def texts(figure):
    return [t.get_text() for t in figure.findobj(lambda a: hasattr(a, "get_text"))]


def test_bars_end_at_the_vehicle_times(triangle):
    _, gantt = plot(*triangle).axes
    spans = {
        bar.get_gid(): (bar.get_x(), bar.get_x() + bar.get_width(), bar.get_y() + 0.28)
        for bar in gantt.patches
    }
    assert spans == {
        "bar-0-0": pytest.approx((0, 12, 0)),
        "bar-0-1": pytest.approx((12, 22, 0)),
        "bar-2-0": pytest.approx((0, 5, 2)),
    }


def test_the_longest_vehicle_is_marked(triangle):
    figure = plot(*triangle)
    line = by_gid(figure.axes[1])["end"]
    assert list(line.get_xdata()) == [22, 22]
    words = texts(figure)
    assert "longest time 22.00" in words
    assert "Triangle" in words
    assert "4 customers, 3 vehicles, 3 trips  ·  longest time 22.00, total 27.00" in words
    assert [t for t in words if t in ("22.00", "no trips", "5.000")] == [
        "22.00",
        "no trips",
        "5.000",
    ]


def test_routes_pass_through_their_stops_in_the_vehicle_colour(triangle):
    drawn = by_gid(plot(*triangle).axes[0])
    assert drawn["trip-0-0"].get_xydata().tolist() == [[3, 0], [3, 4]]
    assert drawn["trip-0-0"].get_color() == style.tint(0, 0)
    assert drawn["trip-0-1"].get_color() == style.tint(0, 1)
    assert drawn["trip-2-0"].get_color() == style.tint(2, 0)
    assert drawn["depot"].get_xydata().tolist() == [[0, 0]]
    assert drawn["stops-0"].get_offsets().tolist() == [[3, 0], [3, 4], [0, -5]]
    assert drawn["stops-1"].get_offsets().tolist() == []
    sizes = dict(zip((1, 2, 3), drawn["stops-0"].get_sizes(), strict=True))
    assert sizes[3] / sizes[1] == pytest.approx(1 / (0.25 + 0.75 * 2 / 4))


def test_map_has_one_scale_and_north_up():
    instance = hcvrp.Instance([1], [1], depot=(59, 10), customers=[(61, 12)], metric="great-circle")
    axes = plot(instance, hcvrp.Solution([[[1]]])).axes[0]
    assert axes.get_aspect() == 1
    assert by_gid(axes)["stops-0"].get_offsets().tolist()[0] == pytest.approx([6, 61])
    bottom, top = axes.get_ylim()
    assert bottom < 59 < 61 < top
    assert "north is up" in texts(axes.figure)


def test_a_given_title_replaces_the_name(triangle):
    words = texts(plot(*triangle, title="Monday"))
    assert "Monday" in words
    assert "Triangle" not in words


def test_names_are_shown_as_they_are_but_short(evil):
    figure = plot(*evil)
    names = [
        t for t in figure.findobj(lambda a: hasattr(a, "get_parse_math")) if "$" in t.get_text()
    ]
    assert names
    assert not any(t.get_parse_math() for t in names)
    assert max(len(t) for t in texts(figure)) <= 80


@pytest.mark.parametrize("suffix", ["png", "svg", "html", "PNG"])
def test_awkward_instances_are_drawn(awkward, suffix, tmp_path):
    path = tmp_path / f"picture.{suffix}"
    plot(*awkward, path)
    assert path.stat().st_size > 1000
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_files_are_what_their_suffix_says(evil, tmp_path):
    plot(*evil, tmp_path / "a.png")
    plot(*evil, str(tmp_path / "a.svg"))
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
def test_the_same_picture_has_the_same_bytes(triangle, suffix, tmp_path):
    for name in ("a", "b"):
        plot(*triangle, tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


@pytest.mark.parametrize("name", ["a.jpeg", "a", "a.html.gz"])
def test_an_unknown_suffix_is_named(triangle, name, tmp_path):
    suffix = (tmp_path / name).suffix
    with pytest.raises(hcvrp.InputError, match=rf"must be \.png, \.svg or \.html, not '{suffix}'"):
        plot(*triangle, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_infeasible_solution_is_refused(triangle, tmp_path):
    instance, _ = triangle
    with pytest.raises(
        hcvrp.InputError, match=r"cannot be drawn: .*customer 9, who does not exist"
    ):
        plot(instance, hcvrp.Solution([[[9]], [], []]), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_named(triangle, tmp_path):
    with pytest.raises(
        hcvrp.InputError, match=r"absent/a\.png: the file cannot be written: no such file"
    ):
        plot(*triangle, tmp_path / "absent" / "a.png")


def test_a_failure_leaves_the_old_file_and_nothing_else(triangle, tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_text("old")

    def fail(_figure, part, **_):
        part.write(b"half")
        raise RuntimeError("out of ink")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    with pytest.raises(RuntimeError, match="out of ink"):
        plot(*triangle, path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.png", "old")]


def test_twenty_vehicles_and_five_hundred_customers():
    instance = hcvrp.generate(500, 20, seed=1)
    solution = hcvrp.solve(instance, "min-max", "savings").solution
    gantt = plot(instance, solution).axes[1]
    ends = np.zeros(20)
    for bar in gantt.patches:
        row = round(bar.get_y() + bar.get_height() / 2)
        ends[row] = max(ends[row], bar.get_x() + bar.get_width())
    assert ends == pytest.approx(solution.vehicle_times(instance))


def test_the_figure_fits_the_map():
    def size(width, height):
        instance = hcvrp.Instance([1, 1], [1], depot=(0, 0), customers=[(width, 0), (0, height)])
        return plot(instance, hcvrp.Solution([[[1], [2]]])).get_size_inches()

    beside = 0.3 + 2.1 + 3.7 + 0.85
    assert size(2, 1) == pytest.approx((6 + beside, 0.95 + 3 + 0.55))
    assert size(1, 2) == pytest.approx((3 + beside, 0.95 + 6 + 0.55))


def test_three_thousand_customers_have_lines_and_no_markers():
    instance = hcvrp.generate(3000, 4, seed=1)
    solution = hcvrp.solve(instance, "min-max", "savings").solution
    figure = plot(instance, solution)
    drawn = by_gid(figure.axes[0])
    assert not any(gid.startswith("stops") for gid in drawn)
    trips = [artist for gid, artist in drawn.items() if gid.startswith("trip")]
    assert len(trips) == sum(map(len, solution.routes)) > 200
    assert "legs from and to the depot are not drawn" in texts(figure)


def test_kilometres_an_hour_make_hours_and_minutes():
    instance = hcvrp.Instance(
        [1],
        [hcvrp.Vehicle(1, 111.195)],
        depot=(0, 0),
        customers=[(0, 1.25)],
        metric="great-circle",
    )
    words = texts(plot(instance, hcvrp.Solution([[[1]]])))
    assert "longest time 2:30 h" in words
    assert "capacity 1, 111.195 km/h" in words
    assert {"0:00", "0:30", "2:30", "time (h:mm)"} <= set(words)


def test_matplotlib_is_loaded_when_first_needed():
    code = "import sys, hcvrp; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
