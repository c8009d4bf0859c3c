import json
import re
from dataclasses import asdict
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import hcvrp
from hcvrp import wording
from hcvrp.plotting import plot, style
from hcvrp.schedule import visits

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta"}


class Outline(HTMLParser):
    """Checks that tags match; keeps each tag's attributes and all text outside scripts."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data.strip())


@pytest.fixture
def drawn(tmp_path):
    def draw(instance, solution):
        plot(instance, solution, tmp_path / "a.html")
        return (tmp_path / "a.html").read_text(encoding="utf-8")

    return draw


def data(page):
    return json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page)[1])


def outline(page):
    parser = Outline()
    parser.feed(page)
    assert parser.open == []
    return parser


def map_of(page):
    start = page.index('<svg xmlns="')
    return ElementTree.fromstring(page[start : page.index("</svg>", start) + len("</svg>")])


def test_the_data_are_the_schedule(triangle, drawn):
    found = data(drawn(*triangle))
    keys = asdict(visits(*triangle)[0])
    assert [{k: s[k] for k in keys} for s in found["stops"]] == [
        asdict(s) for s in visits(*triangle)
    ]
    assert found["customers"] == ["customer 1", "customer 2", "customer 3", "customer 4"]
    assert found["vehicles"] == ["vehicle 1", "vehicle 2", "vehicle 3"]
    assert found["hours"] is False


def test_arrivals_on_the_globe_are_hours_and_minutes(drawn):
    vans = [hcvrp.Vehicle(2, 30.0)]
    town = hcvrp.Instance(
        [1, 1], vans, depot=(48.1, 11.5), customers=[(48.2, 11.5), (48.1, 11.6)],
        metric="great-circle",
    )  # fmt: skip
    assert data(drawn(town, hcvrp.Solution([[[1, 2]]])))["hours"] is True


def test_places_have_one_scale_and_y_upwards(triangle, drawn):
    # 8 wide and 9 high in a square of 640 with a border of 26: 588 / 9 a unit.
    unit = 588 / 9
    at = {s["customer"]: (s["x"], s["y"]) for s in data(drawn(*triangle))["stops"]}
    assert at[3] == pytest.approx((320 + unit, 614), abs=0.01)
    assert at[2] == pytest.approx((320 + 4 * unit, 26), abs=0.01)
    assert at[4] == pytest.approx((320 - 4 * unit, 26 + 4 * unit), abs=0.01)


def test_the_map_draws_each_vehicle_in_its_colour_through_its_stops(triangle, drawn):
    page = drawn(*triangle)
    at = {s["customer"]: f"{s['x']:.2f},{s['y']:.2f}" for s in data(page)["stops"]}
    root = map_of(page)
    groups = [g for g in root if g.tag == SVG + "g"]
    assert [g.get("data-vehicle") for g in groups] == ["0", "1", "2"] * 2
    assert groups[0].get("style") == f"--colour:{style.colour(0)}"
    trips = [p.get("points") for p in groups[0].iter(SVG + "polyline") if p.get("class") == "trip"]
    assert trips == [f"{at[1]} {at[2]}", at[3]]
    assert len(list(groups[3].iter(SVG + "circle"))) == 3
    assert list(groups[4]) == []
    assert len(list(groups[5].iter(SVG + "polygon"))) == 1


def test_segments_are_shares_of_the_longest_time(triangle, drawn):
    spans = [
        a for tag, a in outline(drawn(*triangle)).tags if a.get("title", "").startswith("trip")
    ]
    shares = [re.match(r"left:([\d.]+)%;width:([\d.]+)%", a["style"]).groups() for a in spans]
    expected = [(0, 1200 / 22), (1200 / 22, 1000 / 22), (0, 500 / 22)]
    assert [(float(a), float(b)) for a, b in shares] == [
        pytest.approx(e, abs=1e-3) for e in expected
    ]
    assert spans[1]["title"] == "trip 2: 1 stop, load 4, from 12.00 to 22.00"


def test_rows_are_buttons_with_name_and_time(triangle, drawn):
    parsed = outline(drawn(*triangle))
    rows = [a for tag, a in parsed.tags if tag == "button"]
    assert [r["data-vehicle"] for r in rows] == ["0", "1", "2"]
    assert [r["class"] for r in rows] == ["row longest", "row", "row"]
    assert {"longest time 22.00", "vehicle 3", "no trips", "5.000"} <= set(parsed.text)


def test_no_name_becomes_markup(evil, drawn):
    page = drawn(*evil)
    parsed = outline(page)
    assert [tag for tag, _ in parsed.tags].count("script") == 2
    assert not any(tag == "b" for tag, _ in parsed.tags)
    assert parsed.text.count(wording.tidy(evil[0].name)) == 3  # title, heading, vehicle
    assert data(page)["customers"] == [wording.tidy(evil[0].customer_names[0]), "</svg>"]
    assert data(page)["vehicles"][1] == "配送 🚚"


def test_the_page_asks_the_network_for_nothing(triangle, drawn):
    page = drawn(*triangle)
    assert "default-src 'none'" in page
    assert re.findall(r"https?://[^\"]*", page) == ["http://www.w3.org/2000/svg"]
    assert not any("src" in a or "href" in a for _, a in outline(page).tags)


def test_awkward_instances_make_whole_pages(awkward, drawn):
    page = drawn(*awkward)
    outline(page)
    assert map_of(page).get("viewBox").startswith("0 0 640 ")
    assert "nan" not in page[page.index("<svg") :]
    assert all(0 <= s["x"] <= 640 and s["y"] >= 0 for s in data(page)["stops"])


def test_estimated_places_are_owned_up_to(drawn):
    instance = hcvrp.Instance([1], [1], distances=[[0, 1], [1, 0]])
    page = drawn(instance, hcvrp.Solution([[[1]]]))
    assert "no coordinates: places estimated from the distances" in page
