"""What a planner does with the page, in a real browser."""

import csv
import json
import re

import pytest
from planner import STOPS, choose, column, figure, paste, saved, state, wait_for_state

import hcvrp
from hcvrp import formats, wording
from hcvrp.formats import encoding
from hcvrp.plotting import style
from hcvrp.service import demo

expect = pytest.importorskip("playwright.sync_api", reason="see make test-browser").expect
expect.set_options(timeout=60_000)
pytestmark = pytest.mark.browser

GERMAN = (
    "Kunde;Breite;Länge;Menge\nLager;48,19;11,65;\n"
    '"Müller, Söhne";48,14;11,57;12,5\nSchmidt;48,11;11,60;8\n'
)
POLISH = GERMAN.replace("Kunde;Breite;Länge;Menge", "Odbiorca;Szerokość;Długość;Ilość")
GERMAN_VANS = (
    "Kennzeichen;Nutzlast (kg);Geschwindigkeit (km/h);Anzahl;Kosten je km\n"
    "Lastenrad;120;14;1;0,2\nKühlwagen;1.500;28,5;2;0,8\n"
)
SWAPPED = (
    "name\tlat\tlon\tdemand\ndepot\t48.13\t11.59\t\nA\t48.12\t11.58\t60\n"
    "B\t11.58\t48.13\t60\nC\t48.11\t11.57\t60\n"
)
SMALL = {
    "format": "hcvrp-instance",
    "version": 1,
    "depot": {"x": 0, "y": 0},
    "customers": [{"x": 3, "y": 4, "demand": 1}],
    "vehicles": [{"capacity": 1}],
}


def bar_end(page, run):
    """Where the last bar of a Gantt chart ends, in percent of its width."""
    return (
        page.locator(".run")
        .nth(run)
        .evaluate(
            "run => Math.max(...[...run.querySelectorAll('.bar span')].map("
            "bar => parseFloat(bar.style.left) + parseFloat(bar.style.width)))"
        )
    )


def test_a_demo_is_solved_its_cost_falls_and_the_referee_agrees(page, tmp_path):
    page.select_option("#demo", "town-100")
    expect(page.locator("#day .stop")).to_have_count(100)
    choose(page, 3)
    page.click("#start")
    page.wait_for_selector(".run .trip")
    wait_for_state(page, "done")
    better = page.locator(".figures div", has_text="Better than").locator("dd").inner_text()
    assert float(better.removesuffix(" %")) > 0
    instance = demo.town(100, 5)
    costs = set()
    for kind in ("csv", "json"):
        plan = formats.read_solution(saved(page, f"[data-file={kind}]", tmp_path), instance)
        assert plan.violations(instance) == []
        costs.add(plan.cost(instance, "min-max"))
    assert len(costs) == 1
    assert wording.number(costs.pop()) == wording.number(figure(page, "Last vehicle back"))
    geojson = json.loads(saved(page, "[data-file=geojson]", tmp_path).read_text())
    assert sum(f["properties"]["kind"] == "stop" for f in geojson["features"]) == 100


def test_a_plan_is_stopped_early_and_kept(page):
    page.select_option("#demo", "town-200")
    choose(page, 600)
    page.click("#start")
    page.wait_for_selector(".run .trip")
    assert state(page) == "running"
    page.click(".halt")
    wait_for_state(page, "cancelled")
    assert figure(page, "Last vehicle back") > 0
    assert page.locator("[data-file=csv]").is_enabled()


def test_two_goals_side_by_side(page):
    page.select_option("#demo", "town-30")
    choose(page, 2)
    page.click("#start")
    wait_for_state(page, "done")
    page.click("#other")
    wait_for_state(page, "done", run=1)
    goals, days = zip(*map(str.splitlines, page.locator(".run h2").all_inner_texts()), strict=True)
    assert goals == ("Finish as early as possible", "Least total time")
    assert all(re.match(r"town of 30 stops, .*\d:\d\d", day) for day in days)
    assert figure(page, "Last vehicle back", 0) < figure(page, "Last vehicle back", 1)
    assert figure(page, "Total time", 0) > figure(page, "Total time", 1)
    ends = [bar_end(page, run) for run in (0, 1)]
    assert ends[0] < ends[1] == pytest.approx(100, abs=0.1)  # one scale for both charts


def test_a_plan_is_proven_while_one_watches(page):
    page.click("#paste")
    page.fill("#paste-text", STOPS)
    page.click("#paste-dialog button[value=take]")
    expect(page.locator("#day .stop")).to_have_count(3)
    choose(page, 1, objective="min-sum", method="savings", certify=20)
    page.click("#start")
    wait_for_state(page, "done")
    proven = page.locator(".figures div", has_text="Proven").locator("dd")
    assert proven.inner_text() == "the best there is"


def test_a_gap_falls_and_the_proof_can_be_ended(page):
    page.select_option("#demo", "munich")
    choose(page, 1, objective="min-sum", certify=600)
    page.click("#start")
    wait_for_state(page, "proving")
    proven = page.locator(".figures div", has_text="Proven within").locator("dd")
    expect(proven).to_have_text(re.compile(r"^\d\.\d\d %$"))  # below 10 %
    assert page.locator(".curve .bound").count() == 1
    assert page.locator("[data-file=csv]").is_enabled()
    page.click(".halt")
    wait_for_state(page, "done")
    assert 0 < float(proven.inner_text().split()[0]) < 10


def test_a_vehicle_shows_its_trips_to_mouse_and_keyboard(page):
    page.select_option("#demo", "town-30")
    choose(page, 1)
    page.click("#start")
    wait_for_state(page, "done")
    row = page.locator(".vehicle").nth(1)
    row.focus()
    page.keyboard.press("Enter")
    assert row.get_attribute("aria-pressed") == "true"
    assert page.locator(".trips h3").inner_text() == "small van"
    assert page.locator(".map .dim").count() > 0
    assert re.fullmatch(r"small van: \d trips?", page.locator("#spoken").inner_text())
    page.keyboard.press("Enter")
    assert page.locator(".map .dim").count() == 0
    page.locator(".run .map svg").focus()
    page.keyboard.press("ArrowRight")
    assert "demand" in page.locator(".run .tip").inner_text()


def test_a_table_is_pasted_edited_and_solved(page):
    page.click("#paste")
    page.fill("#paste-text", STOPS)
    page.click("#paste-dialog button[value=take]")
    expect(page.locator("#day .stop")).to_have_count(3)
    assert page.locator("#stops-summary").inner_text() == "3 stops, demand 9 in all."
    page.fill("[data-row='0'][data-key=capacity]", "9")
    page.fill("[data-row='0'][data-key=count]", "1")
    page.click("[data-remove='1']")
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    # One vehicle for all: 3 + 5 + √52 + 6 = 21.21; taken apart it would be longer.
    assert figure(page, "Last vehicle back") == 21.21
    page.click("text=Back to the stops")
    assert page.locator("#day").is_visible()


def test_leaving_the_dialog_of_a_table_changes_nothing(page):
    page.click("#paste")
    page.fill("#paste-text", STOPS)
    page.click("#paste-dialog button[value=take]")
    expect(page.locator("#day .stop")).to_have_count(3)
    page.click("#stops-details summary")
    page.click("#add-stop")
    expect(page.locator("#day .stop")).to_have_count(4)
    page.click("#paste")
    page.keyboard.press("Escape")
    expect(page.locator("#paste-dialog")).not_to_be_visible()
    page.click("#add-stop")
    expect(page.locator("#day .stop")).to_have_count(5)


def test_stops_are_not_added_to_a_table_of_distances(page, tmp_path):
    path = tmp_path / "matrix.json"
    distances = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    customers = [{"demand": 1}, {"demand": 1}]
    path.write_text(json.dumps({
        "format": "hcvrp-instance", "version": 1, "distances": distances,
        "customers": customers, "vehicles": [{"capacity": 2}],
    }))  # fmt: skip
    page.set_input_files("#file", path)
    expect(page.locator("#day .stop")).to_have_count(2)
    page.click("#stops-details summary")
    page.click("#add-stop")
    expect(page.locator("#notice")).to_have_text("Stops cannot be added to a distance table here.")
    expect(page.locator("#day .stop")).to_have_count(2)


def test_vehicles_keep_their_names(page, tmp_path):
    path = tmp_path / "day.json"
    names = ["van", "van 2", "bike 1", "bike 2", "car 1"]
    vehicles = [{"name": name, "capacity": 9} for name in names]
    path.write_text(json.dumps({**SMALL, "vehicles": vehicles}))
    page.set_input_files("#file", path)
    expect(page.locator("#fleet [data-key=name]")).to_have_count(4)
    rows = page.locator("#fleet tbody tr").evaluate_all(
        "all => all.map(row => ['name', 'count'].map("
        "key => row.querySelector(`[data-key=${key}]`).value))"
    )
    assert rows == [["van", "1"], ["van 2", "1"], ["bike", "2"], ["car 1", "1"]]


def assert_two_stops_in_bavaria(page, title=""):
    expect(page.locator("#day .stop")).to_have_count(2)
    summary = page.locator("#stops-summary").inner_text()
    assert summary == f"{title}2 stops, demand 20.5 in all."
    assert page.input_value("[data-row='0'][data-key=speed]") == "30"  # km/h
    page.click("#stops-details summary")
    expect(page.locator("#stops tbody tr")).to_have_count(3)
    names = page.locator("#stops [data-key=name]").evaluate_all("all => all.map(e => e.value)")
    assert names[1:] == ["Müller, Söhne", "Schmidt"]


def test_a_german_table_is_understood(page):
    page.click("#paste")
    page.fill("#paste-text", GERMAN)
    page.click("#paste-dialog button[value=take]")
    assert_two_stops_in_bavaria(page)


def test_columns_of_an_unknown_language_are_asked_for(page):
    page.click("#paste")
    page.fill("#paste-text", POLISH)
    page.click("#paste-dialog button[value=take]")
    page.wait_for_selector("#columns-dialog[open]")
    guessed = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#columns-choices select')].map("
        "s => [s.id.slice(8), s.selectedOptions[0].textContent]))"
    )
    assert guessed == {
        "name": "Odbiorca",
        "first": "Szerokość",
        "second": "Długość",
        "demand": "Ilość",
        "globe": "Places on a plan, x and y",
        "depot": "Lager, 48,19, 11,65",
    }
    page.select_option("#columns-globe", label="Latitude and longitude")
    page.click("#columns-dialog button[value=take]")
    assert_two_stops_in_bavaria(page)


def test_stops_too_large_for_the_vehicles_so_far_are_kept(page):
    page.click("#paste")
    page.fill("#paste-text", STOPS.replace("-6\t0\t4", "-6\t0\t400"))
    page.click("#paste-dialog button[value=take]")
    expect(page.locator("#notice")).to_have_text(
        "Line 5: no vehicle can carry customer west: its demand is 400, the largest capacity 250."
    )
    expect(page.locator("#day .stop")).to_have_count(3)
    page.fill("[data-row='1'][data-key=capacity]", "400")
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    assert page.locator("#notice").is_hidden()


def test_cells_without_a_heading_are_asked_for(page):
    page.click("#paste")
    page.fill("#paste-text", "A\t0\t0\nB\t3\t4\nC\t6\t8\n")
    page.click("#paste-dialog button[value=take]")
    page.wait_for_selector("#columns-dialog[open]")
    assert page.is_checked("#columns-bare")
    page.select_option("#columns-depot", "1")
    page.click("#columns-dialog button[value=take]")
    expect(page.locator("#day .stop")).to_have_count(2)
    assert page.locator("#stops-summary").inner_text() == "2 stops, demand 2 in all."


def test_a_fleet_is_known_by_any_of_its_headers(page, tmp_path):
    vans = tmp_path / "vans_de.csv"
    vans.write_text(GERMAN_VANS, encoding="cp1252")
    page.set_input_files("#file", vans)
    expect(page.locator("#notice")).to_have_text(
        "vans_de.csv: these are vehicles: bring the stops first."
    )
    paste(page, GERMAN)
    expect(page.locator("#day .stop")).to_have_count(2)
    page.set_input_files("#file", vans)
    expect(page.locator("#fleet tbody tr:first-child [data-key=name]")).to_have_value("Lastenrad")
    assert column(page, "#fleet", "name") == ["Lastenrad", "Kühlwagen"]
    assert column(page, "#fleet", "capacity") == ["120", "1500"]
    assert column(page, "#fleet", "speed") == ["14", "28.5"]
    assert column(page, "#fleet", "count") == ["1", "2"]
    assert page.locator("#notice").is_hidden()
    assert page.locator("#notes").inner_text() == (
        "Column 'Kosten je km' is not used; a fleet has: name, capacity, speed, count."
    )
    assert page.locator("#day .stop").count() == 2


def test_a_fleet_may_be_json_and_replaces_one_that_is_wrong_or_gone(page, tmp_path):
    vans = tmp_path / "vans.json"
    formats.write(vans, [hcvrp.Vehicle(900, 25, "tanker")])
    table = tmp_path / "vans.csv"
    table.write_text(GERMAN_VANS)
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    page.set_input_files("#file", vans)
    expect(page.locator("#fleet tbody tr")).to_have_count(1)
    assert column(page, "#fleet", "name") == ["tanker"]
    page.fill("#fleet [data-key=capacity]", "lots")
    page.set_input_files("#file", table)
    expect(page.locator("#fleet tbody tr")).to_have_count(2)
    page.click("#fleet [data-remove='1']")
    page.click("#fleet [data-remove='0']")
    page.set_input_files("#file", table)
    expect(page.locator("#fleet tbody tr")).to_have_count(2)
    assert page.locator("#notice").is_hidden()


def test_the_page_goes_by_codes_and_not_by_words(page, tmp_path):
    def reworded(route):
        answer = route.fetch()
        body = answer.json()
        if answer.status == 422:
            file = body["detail"].partition(": ")[0]
            body["detail"] = f"{file}: rien ne va plus"
        route.fulfill(response=answer, json=body)

    page.route("**/v1/instances", reworded)
    paste(page, STOPS.replace("-6\t0\t4", "-6\t0\t400"))
    expect(page.locator("#notice:visible")).to_have_text("Rien ne va plus.")
    expect(page.locator("#day .stop")).to_have_count(3)  # only the vehicles are too small
    vans = tmp_path / "vans.csv"
    vans.write_text("name,payload\ntanker,900\n")
    page.set_input_files("#file", vans)
    expect(page.locator("#fleet tbody tr")).to_have_count(1)
    assert column(page, "#fleet", "name") == ["tanker"]
    assert page.locator("#notice").is_hidden()
    paste(page, POLISH)
    page.wait_for_selector("#columns-dialog[open]")
    assert page.locator("#columns-reason").inner_text() == "Rien ne va plus."
    page.click("#columns-dialog button[value=leave]")
    paste(page, STOPS.replace("-6\t0\t4", "-6\t0\t4 kg"))
    expect(page.locator("#notice:visible")).to_have_text("Rien ne va plus.")
    assert column(page, "#fleet", "name") == ["tanker"]


def test_a_method_without_a_network_for_the_fleet_is_told_at_once(page):
    page.select_option("#demo", "town-100")
    expect(page.locator("#day .stop")).to_have_count(100)
    choose(page, 1, method="paper")
    page.click("#start")
    expect(page.locator("#notice")).to_contain_text(
        "Method paper: no paper weights for 4 vehicles and min-max; there are some for: "
    )
    assert page.locator(".run").count() == 0


def test_a_fleet_too_small_for_the_stops_is_refused(page, tmp_path):
    vans = tmp_path / "vans.csv"
    vans.write_text("name,payload\ntiny,3\n")
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    page.set_input_files("#file", vans)
    expect(page.locator("#notice")).to_have_text(
        "vans.csv: no vehicle can carry customer west: its demand is 4, the largest capacity 3."
    )
    assert column(page, "#fleet", "name") == ["small van", "lorry"]


@pytest.mark.parametrize("form", ["cp1252", "utf-16", "utf-16-le", "utf-8-sig", "utf-8"])
def test_files_keep_their_umlauts(page, tmp_path, form):
    stops = tmp_path / "stops.csv"
    stops.write_text(GERMAN, encoding=form)
    page.set_input_files("#file", stops)
    assert_two_stops_in_bavaria(page, "stops: ")


def test_columns_of_a_file_in_the_code_page_of_windows_are_asked_for(page, tmp_path):
    stops = tmp_path / "stops.csv"
    text = GERMAN.replace("Kunde;Breite;Länge;Menge", "Empfängerin;Höhe;Wärts;Fülle")
    stops.write_text(text, encoding="cp1252")
    page.set_input_files("#file", stops)
    page.wait_for_selector("#columns-dialog[open]")
    headings = page.locator("#columns-sample th").all_inner_texts()
    assert headings == ["Empfängerin", "Höhe", "Wärts", "Fülle"]
    page.select_option("#columns-globe", label="Latitude and longitude")
    page.click("#columns-dialog button[value=take]")
    assert_two_stops_in_bavaria(page, "stops: ")


def test_texts_are_decoded_as_the_readers_do(page):
    words = ["Kunde;Länge\n", "plain", "€ “quoted”", "naïve, 東京", "a"]
    forms = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
    data = [w.encode(form, "replace") for w in words for form in forms]
    told = page.evaluate(
        "data => import('/text.js').then(text => data.map("
        "bytes => text.decoded(new Uint8Array(bytes).buffer)))",
        [list(each) for each in data],
    )
    expected = []
    for each in data:
        try:
            expected.append(encoding.decoded(each))
        except hcvrp.InputError:
            expected.append(None)  # the server refuses it before the page has to read it
    assert expected.count(None) < 5
    assert [t if e is not None else None for t, e in zip(told, expected, strict=True)] == expected


def test_a_number_that_may_mean_thousands_or_decimals_is_refused(page):
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    cell = page.locator("#fleet [data-row='0'][data-key=capacity]")
    cell.fill("1,500")
    cell.blur()
    expect(page.locator("#notice")).to_have_text(
        "Capacity of small van is 1,500, which may mean thousands or decimals:"
        " write 1500 or 1,5000."
    )
    assert cell.get_attribute("aria-invalid") == "true"
    page.click("#start")
    expect(page.locator("#notice")).to_have_text(
        "Capacity of small van is 1,500, which may mean thousands or decimals:"
        " write 1500 or 1,5000."
    )
    assert page.locator(".run").count() == 0
    expect(cell).to_be_focused()
    page.click("#add-vehicle")  # draws the table anew
    assert cell.get_attribute("aria-invalid") == "true"
    cell.fill("1500")
    cell.blur()
    expect(page.locator("#notice")).to_be_hidden()
    assert cell.get_attribute("aria-invalid") == "false"
    for clear in ("12,5", "0,125", "1,5000"):
        cell.fill(clear)
        cell.blur()
        assert cell.get_attribute("aria-invalid") == "false"
    page.click("#stops-details summary")
    demand = page.locator("#stops [data-row='1'][data-key=demand]")
    demand.fill("1.500")
    demand.blur()
    expect(page.locator("#notice")).to_contain_text("Demand of east is 1.500")


def test_cells_are_read_as_those_of_files(page):
    paste(page, GERMAN)
    expect(page.locator("#day .stop")).to_have_count(2)
    page.click("#stops-details summary")
    cell = page.locator("#stops [data-row='1'][data-key=demand]")
    for text, total in {"1 250": 1258, "1.250,5": 1258.5, "1’250": 1258, "12,5": 20.5}.items():
        cell.fill(text)
        cell.blur()
        expect(page.locator("#stops-summary")).to_have_text(f"2 stops, demand {total} in all.")
        assert cell.get_attribute("aria-invalid") == "false"
    lat = page.locator("#stops [data-row='1'][data-key=lat]")
    lat.fill("48,137")
    lat.blur()
    page.click("#add-stop")  # draws the table anew
    assert column(page, "#stops", "lat")[1] == "48.137"


@pytest.mark.parametrize(
    ("table", "row", "key", "text", "words"),
    [
        ("stops", 2, "demand", "40 kg", "Demand of north is not a number: '40 kg'; write 40 w"),
        ("stops", 3, "x", "", "X of west is empty."),
        ("stops", 1, "demand", "-2", "Demand of east must not be negative, not -2."),
        ("fleet", 1, "speed", "fast", "Speed of lorry is not a number: 'fast'."),
        ("fleet", 0, "capacity", "0", "Capacity of small van must be positive, not 0."),
        ("fleet", 0, "count", "1.5", "Count of small van must be a whole number of at least 1, n"),
    ],
)
def test_a_wrong_cell_is_named_and_gone_to(page, table, row, key, text, words):
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    page.click("#stops-details summary")
    cell = page.locator(f"#{table} [data-row='{row}'][data-key={key}]")
    cell.fill(text)
    cell.blur()
    notice = page.locator("#notice")
    expect(notice).to_contain_text(words)
    page.click("#stops-details summary")
    page.click("#start")
    expect(notice).to_contain_text(words)
    expect(cell).to_be_focused()
    assert cell.get_attribute("aria-invalid") == "true"
    assert page.locator(".run").count() == 0


def test_a_wrong_field_is_named_by_its_label(page):
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    told = {
        "#seconds": ("", "'Search for' must be a number from 1 to 3600, and is empty."),
        "#certify": ("9999", "'Then prove for' must be a number from 0 to 3600, not 9999."),
        "#seed": ("-1", "'Seed' must be a number from 0 to 9007199254740991, not -1."),
    }
    for field, (text, words) in told.items():
        choose(page, 1)
        page.locator(field).evaluate("(field, text) => { field.value = text; }", text)
        page.click("#start")
        expect(page.locator("#notice")).to_have_text(words)
        expect(page.locator(field)).to_be_focused()
        page.locator(field).evaluate("field => { field.value = 1; }")
    assert page.locator(".run").count() == 0


def test_a_wrong_cell_is_named_when_a_file_is_opened(page, tmp_path):
    vans = tmp_path / "vans.csv"
    vans.write_text("name,payload\ntanker,900\n")
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    page.fill("#fleet [data-row='0'][data-key=capacity]", "much")
    paste(page, STOPS.replace("west", "best"))
    expect(page.locator("#notice")).to_have_text("Capacity of small van is not a number: 'much'.")
    page.click("#stops-details summary")
    expect(page.locator("#stops tbody tr")).to_have_count(4)
    assert column(page, "#stops", "name")[3] == "best"
    page.fill("#stops [data-row='1'][data-key=demand]", "little")
    page.press("#stops [data-row='1'][data-key=demand]", "Tab")
    page.set_input_files("#file", vans)
    expect(page.locator("#notice")).to_have_text("Demand of east is not a number: 'little'.")
    assert column(page, "#fleet", "name") == ["small van", "lorry"]


def test_degrees_have_no_thousands(page):
    paste(page, GERMAN)
    page.click("#stops-details summary")
    cell = page.locator("#stops [data-row='1'][data-key=lat]")
    cell.fill("48.137")
    cell.blur()
    assert cell.get_attribute("aria-invalid") == "false"
    assert page.locator("#notice").is_hidden()


def test_swapped_coordinates_are_noted_until_they_are_right(page):
    paste(page, SWAPPED)
    note = page.locator("#notes")
    expect(note).to_have_text(
        re.compile(r"^Stop B lies 5288 km from .*: its latitude and longitude look swapped\.$")
    )
    page.click("#stops-details summary")
    page.fill("#stops [data-row='2'][data-key=lat]", "48.13")
    page.fill("#stops [data-row='2'][data-key=lon]", "11.58")
    page.press("#stops [data-row='2'][data-key=lon]", "Tab")
    expect(note).to_be_hidden()
    page.fill("#stops [data-row='1'][data-key=lat]", "4.812")
    page.press("#stops [data-row='1'][data-key=lat]", "Tab")
    expect(note).to_contain_text("Stop A lies")
    page.click("#clear")
    expect(note).to_be_hidden()


def test_notes_about_files_outlive_edits(page, tmp_path):
    priced = SWAPPED.replace("demand\n", "demand\tcost\n").replace("\t60\n", "\t60\t2.5\n")
    far = r"Stop B lies 5288 km from .*: its latitude and longitude look swapped\."
    stops = "Column 'cost' is not used; stops have: name, lat and lon (or x and y), demand."
    fleet = "Column 'Kosten je km' is not used; a fleet has: name, capacity, speed, count."
    vans = tmp_path / "vans.csv"
    vans.write_text(GERMAN_VANS)
    note, of_run = page.locator("#notes"), page.locator(".run .notes")
    paste(page, priced)
    expect(note).to_have_text(re.compile(f"^{far} {re.escape(stops)}$"))
    page.set_input_files("#file", vans)
    expect(note).to_have_text(re.compile(f"^{far} {re.escape(f'{stops} {fleet}')}$"))
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    expect(of_run).to_have_text(re.compile(f"^{far}$"))
    page.click("text=Back to the stops")
    page.click("#stops-details summary")
    page.fill("#stops [data-row='2'][data-key=lat]", "48.13")
    page.fill("#stops [data-row='2'][data-key=lon]", "11.58")
    page.press("#stops [data-row='2'][data-key=lon]", "Tab")
    expect(note).to_have_text(f"{stops} {fleet}")
    page.click("#start")
    wait_for_state(page, "done")
    expect(of_run).to_be_hidden()
    paste(page, STOPS)
    expect(note).to_have_text(fleet)  # the vehicles are still those of the file
    page.select_option("#demo", "munich")
    expect(note).to_be_hidden()


def test_untouched_speeds_are_those_of_the_places(page):
    assert column(page, "#fleet", "speed") == ["1", "0.8"]
    paste(page, GERMAN.replace("12,5", "400"))
    expect(page.locator("#notice")).to_contain_text("no vehicle can carry")
    expect(page.locator("#day .stop")).to_have_count(2)
    assert column(page, "#fleet", "speed") == ["30", "25"]  # km/h
    page.click("#add-vehicle")
    assert column(page, "#fleet", "speed") == ["30", "25", "30"]
    page.fill("#fleet [data-row='0'][data-key=speed]", "40")
    page.fill("#fleet [data-row='0'][data-key=capacity]", "500")
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    assert column(page, "#fleet", "speed") == ["40", "0.8", "1"]
    assert column(page, "#fleet", "capacity") == ["500", "250", "100"]


def test_the_goals_are_said_in_terms_of_time(page):
    words = page.locator(".choice", has=page.locator("input[value=min-sum]")).inner_text()
    assert "driving times of all vehicles add up to the least" in words


def test_more_of_the_earlier_plans_are_shown(page, url):
    body = {"instance": SMALL, "method": "savings", "time_limit": 1}
    for _ in range(13):
        assert page.request.post(f"{url}/v1/jobs", data=body).status == 202
    page.reload()
    expect(page.locator("#jobs tbody tr")).to_have_count(12)
    page.click("#more")
    expect(page.locator("#jobs tbody tr:nth-child(13)")).to_have_count(1)


def test_files_are_opened_and_complaints_shown(page, tmp_path):
    broken = tmp_path / "stops.csv"
    broken.write_text("name,x,y,demand\ndepot,0,0,\na,1,north,1\n")
    page.set_input_files("#file", broken)
    page.wait_for_selector("#notice:not([hidden])")
    words = page.locator("#notice").inner_text()
    assert words == "stops.csv: line 3: y is not a number: 'north'."
    page.click("#paste")
    page.fill("#paste-text", STOPS.replace("-6\t0\t4", "-6\t0\t4 kg"))
    page.click("#paste-dialog button[value=take]")
    expect(page.locator("#notice")).to_have_text(
        "Line 5: demand is not a number: '4 kg'; write 4 without the unit."
    )
    whole = tmp_path / "town.json"
    formats.write(whole, demo.munich())
    page.set_input_files("#file", whole)
    expect(page.locator("#day .stop")).to_have_count(40)
    assert page.locator("#notice").is_hidden()
    assert page.locator("#fleet tbody tr").count() == 3


def test_stops_are_clicked_onto_the_map(page):
    page.click("#click")
    box = page.locator("#day svg").bounding_box()
    for x, y in ((0.5, 0.5), (0.2, 0.3), (0.7, 0.4), (0.6, 0.8)):
        page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
    assert page.locator("#day .stop").count() == 3
    page.click("#stops-details summary")
    expect(page.locator("#stops tbody tr")).to_have_count(4)
    choose(page, 1, objective="min-sum")
    page.click("#start")
    wait_for_state(page, "done")
    assert figure(page, "Total time") > 0


def test_kilometres_and_kmh_give_hours_and_minutes(page):
    page.select_option("#demo", "munich")
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    instance = demo.munich()
    plan = hcvrp.solve(instance, method="savings").solution
    back = [wording.time(time, hours=True) for time in plan.vehicle_times(instance)]
    assert page.locator(".vehicle .time").all_inner_texts() == back
    last = page.locator(".figures div", has_text="Last vehicle back").locator("dd").inner_text()
    cost = plan.cost(instance, "min-max")
    assert (
        last == page.locator("#jobs td.right").first.inner_text() == wording.time(cost, hours=True)
    )
    assert page.locator(".vehicle .caption").first.inner_text() == "capacity 40, 16 km/h"
    assert page.locator(".axis .unit").inner_text() == "h:mm"


def test_times_are_worded_as_in_the_pictures(page):
    times = [0, 0.37, 1.7168, 1.9999, 30.25]
    told = page.evaluate(
        "times => import('/look.js').then(look => times.map(t => look.clock(true)(t)))", times
    )
    assert told == [wording.time(t, hours=True) for t in times]
    limits = [0, 0.05, 1.72, 3.08, 9, 47, 1000]
    ticks = page.evaluate(
        "limits => import('/look.js').then(look => limits.map(l => look.clockTicks(l)))", limits
    )
    assert ticks == [style.clock_ticks(limit, 5) for limit in limits]


def test_driver_sheets_are_printable(page):
    page.select_option("#demo", "munich")
    choose(page, 1)
    page.click("#start")
    wait_for_state(page, "done")
    with page.expect_popup() as popup:
        page.click(".sheet")
    sheet = popup.value
    sheet.wait_for_selector(".driver")
    drivers = sheet.locator(".driver h3").all_inner_texts()
    assert set(drivers) <= {"cargo bike", "small van", "lorry"}
    assert sheet.locator(".driver tbody tr").count() == 40
    first = sheet.locator(".driver caption").first
    assert re.match(r"Trip 1: leaves at 08:00 with \d+, back at \d\d:\d\d$", first.inner_text())
    sheet.fill("#dawn", "06:30")
    sheet.dispatch_event("#dawn", "change")
    expect(first).to_contain_text("leaves at 06:30")
    sheet.select_option("#unit", "")
    expect(first).to_contain_text("leaves at 0 ")


def test_each_page_of_a_driver_sheet_bears_the_name(page, tmp_path):
    lines = [f"stop {k},{k % 12},{k // 12},1" for k in range(1, 91)]
    stops = tmp_path / "Tuesday.csv"
    stops.write_text("\n".join(["name,x,y,demand", "depot,0,0,", *lines]))
    page.set_input_files("#file", stops)
    expect(page.locator("#day .stop")).to_have_count(90)
    page.click("#fleet [data-remove='1']")
    page.fill("#fleet [data-row='0'][data-key=count]", "1")
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    with page.expect_popup() as popup:
        page.click(".sheet")
    sheet = popup.value
    sheet.wait_for_selector(".driver")
    head = sheet.locator(".driver thead .paper")
    assert head.count() == 1  # 90 stops in one trip: more than one page
    expect(head).to_be_hidden()
    sheet.emulate_media(media="print")
    expect(head).to_be_visible()
    text = head.inner_text()
    assert re.fullmatch(r"small van, trip 1; Tuesday, planned on [\d/.-]{8,}", text)
    repeated = sheet.locator(".driver thead").evaluate("head => getComputedStyle(head).display")
    assert repeated == "table-header-group"
    widths = sheet.locator(".driver thead tr:last-child th").evaluate_all(
        "cells => cells.map(cell => Math.round(cell.getBoundingClientRect().width))"
    )
    assert widths[0] < widths[2] == widths[4] < widths[1]
    assert "One page" not in sheet.inner_text("body")


def told_by(path, *columns):
    """The cells of a plan's columns, by customer."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {row["customer name"]: [row[c] for c in columns] for row in csv.DictReader(file)}


def test_other_columns_stay_with_their_stops_from_file_to_driver(page, tmp_path):
    nasty = "<img src=x onerror='document.title=1'>"
    stops = tmp_path / "stops.csv"
    stops.write_text(
        "name,lat,lon,demand,street,phone\ndepot,48.1,11.5,,Main St 1,\n"
        f"a,48.2,11.5,1,First St,111\nb,48.3,11.5,2,{nasty},222\nc,48.4,11.5,3,Third St,\n"
    )
    page.set_input_files("#file", stops)
    expect(page.locator("#day .stop")).to_have_count(3)
    page.click("#stops-details summary")
    page.click("#stops [data-remove='1']")  # a
    page.click("#add-stop")
    page.fill("#stops [data-row='3'][data-key=name]", "new")
    page.fill("#stops [data-row='1'][data-key=name]", "bee")
    page.fill("#stops [data-row='1'][data-key=lat]", "48.25")
    page.dispatch_event("#stops [data-row='1'][data-key=lat]", "change")
    vans = tmp_path / "vans.csv"
    vans.write_text("name,capacity,speed\nvan,100,30\n")
    page.set_input_files("#file", vans)
    expect(page.locator("#fleet tbody tr")).to_have_count(1)
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    expected = {
        "bee": [nasty, "222"],
        "c": ["Third St", ""],
        "new": ["", ""],
        "depot": ["Main St 1", ""],
    }
    assert told_by(saved(page, "[data-file=csv]", tmp_path), "street", "phone") == expected
    page.click("#other")
    wait_for_state(page, "done", run=1)
    plan = saved(page, ".run:nth-child(2) [data-file=csv]", tmp_path)
    assert told_by(plan, "street", "phone") == expected
    with page.expect_popup() as popup:
        page.click(".run:nth-child(1) .sheet")
    sheet = popup.value
    bee = sheet.locator(".driver tbody tr", has_text="bee").locator("td").nth(1)
    expect(bee).to_have_text(f"beestreet: {nasty}phone: 222")
    sheet.uncheck("#details input[value=street]")
    expect(bee).to_have_text("beephone: 222")
    assert sheet.locator("#details").inner_text().split() == ["With", "street", "phone"]
    assert sheet.locator("img").count() == 0
    assert sheet.title() == "Driver sheets"


def test_other_columns_come_through_where_columns_are_asked_for(page, tmp_path):
    page.click("#paste")
    table = (
        "Odbiorca;Uwagi;x;y;lat;lon;Ilość;demand (2)\nLager;;1;1;48,19;11,65;;\n"
        "A;dzwonić;2;3;48,14;11,57;12,5;9\nB;;4;5;48,11;11,60;8;7\n"
    )
    page.fill("#paste-text", table)
    page.click("#paste-dialog button[value=take]")
    page.wait_for_selector("#columns-dialog[open]")
    for field, option in {"name": 0, "first": 4, "second": 5, "demand": 6, "globe": 1}.items():
        page.select_option(f"#columns-{field}", str(option))
    page.click("#columns-dialog button[value=take]")
    expect(page.locator("#day .stop")).to_have_count(2)
    assert page.locator("#notes").is_hidden()
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    columns = ("Uwagi", "x", "y", "stops: demand (2)")
    assert told_by(saved(page, "[data-file=csv]", tmp_path), *columns) == {
        "A": ["dzwonić", "2", "3", "9"],
        "B": ["", "4", "5", "7"],
        "depot": ["", "1", "1", ""],
    }


def test_quotes_hold_several_lines_where_columns_are_asked_for(page, tmp_path):
    noted = '"dzwonić ""dwa""\nrazy; proszę"'
    paste(page, f"Odbiorca;Uwagi;a;b;c\nLager;;1;1;\nA;{noted};2;3;4\nB;;4;5;6\n")
    page.wait_for_selector("#columns-dialog[open]")
    page.click("#columns-dialog button[value=take]")
    expect(page.locator("#day .stop")).to_have_count(2)
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    assert told_by(saved(page, "[data-file=csv]", tmp_path), "Uwagi") == {
        "A": ['dzwonić "dwa"\nrazy; proszę'],
        "B": [""],
        "depot": [""],
    }


def test_tables_are_taken_apart_as_spreadsheets_write_them(page):
    tables = {
        "a;b\r\n1;2\r\n\r\n": [["a", "b"], ["1", "2"]],
        '"a,""x""",b\r\n"1\r\n2",\r\n, ': [['a,"x"', "b"], ["1\r\n2", ""]],
        'a\tb\n5" pipe\t"open\n3\t4': [["a", "b"], ['5" pipe', '"open'], ["3", "4"]],
    }
    told = page.evaluate(
        "tables => import('/columns.js').then(columns => tables.map(columns.cells))", list(tables)
    )
    assert told == list(tables.values())


def test_a_fleet_with_two_capacities_is_told_so(page, tmp_path):
    vans = tmp_path / "vans.csv"
    vans.write_text("name;payload;max load\nvan;1;2\n")
    page.set_input_files("#file", vans)
    expect(page.locator("#notice")).to_have_text(
        "vans.csv: columns payload and max load both mean capacity: call the right one capacity."
    )
    assert page.locator("#columns-dialog[open]").count() == 0


def test_names_cannot_break_into_the_page(page, tmp_path):
    nasty = '<img src=x onerror="document.title=1">'
    stops = tmp_path / "stops.csv"
    text = f'name,x,y,demand\ndepot,0,0,\n"{nasty.replace(chr(34), chr(34) * 2)}",1,1,1\n'
    stops.write_text(text)
    page.set_input_files("#file", stops)
    expect(page.locator("#day .stop")).to_have_count(1)
    page.click("#stops-details summary")
    choose(page, 1)
    page.click("#start")
    wait_for_state(page, "done")
    page.click(".vehicle >> nth=0")
    assert page.title() == "Routes for a mixed fleet"
    assert page.locator("img").count() == 0


def test_the_page_fits_a_phone(phone):
    phone.select_option("#demo", "town-30")
    choose(phone, 1)
    phone.tap("#start")
    wait_for_state(phone, "done")
    wide = phone.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    small = phone.evaluate(
        "[...document.querySelectorAll('button, select')].filter(b => b.offsetParent"
        " && !b.closest('table') && b.getBoundingClientRect().height < 24).length"
    )
    assert small == 0


def test_colours_and_shapes_are_those_of_the_pictures(page):
    drawn = page.evaluate(
        "import('/look.js').then(look => [...Array(20).keys()].map("
        "v => [look.colour(v), look.tint(v, 1), look.textOn(look.tint(v, v))]))"
    )
    expected = [
        [style.colour(v), style.tint(v, 1), style.text_on(style.tint(v, v))] for v in range(20)
    ]
    assert drawn == expected


def test_every_control_has_a_name(page):
    page.select_option("#demo", "town-30")
    page.click("#stops-details summary")
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, input, select, textarea')].filter(e =>"
        " !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim())).length"
    )
    assert nameless == 0
