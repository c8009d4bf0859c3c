"""Tables whose columns the planner is asked about, and the way back from what they replaced."""

import pytest
from planner import STOPS, column, paste

from hcvrp import InputError
from hcvrp.formats import numerals

expect = pytest.importorskip("playwright.sync_api", reason="see make test-browser").expect
expect.set_options(timeout=60_000)
pytestmark = pytest.mark.browser

FRENCH = (
    "Magasin;Lat.;Long.;Charge (kg)\nEntrepôt;48,85;2,35;\n"
    "Lyon-Est;48,86;2,36;1 250\nBelleville;48,87;2,37;80\n"
)
DANISH = (
    "Kunde;Nord-syd;Øst-vest;Last (kg)\nLager;55,67;12,56;\n"
    "A;55,68;12,57;1.250,5\nB;55,69;12,58;80\n"
)
ITALIAN = (
    "Negozio;Nord;Est;Quantità\nMagazzino;0;0;\nRossi;1,5;2,5;12\nBianchi;2;3;40 kg\nVerdi;4;4;7\n"
)
GERMAN_VANS = (
    "Fahrzeug;Erlaubtes Gewicht (kg);Ø Geschwindigkeit (km/h);Kosten/km\n"
    "Sprinter;1.250,5;45;0,8\nRad;120;14;0,2\n"
)
ITALIAN_VANS = "Veicolo;Peso utile (kg);Velocità\nFurgone;900;50\nBici;120;15\n"


def chosen(page):
    """What the selections of the dialog show, by field."""
    page.wait_for_selector("#columns-dialog[open]")
    return page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#columns-choices select')].map("
        "s => [s.id.slice(8), s.selectedOptions[0].textContent]))"
    )


def kind(page):
    return page.locator("[name=columns-kind]:checked").get_attribute("value")


def take(page):
    page.click("#columns-dialog button[value=take]")


def demands(page):
    if not page.locator("#stops-details[open]").count():
        page.click("#stops-details summary")
        page.wait_for_selector("#stops tbody tr")
    return column(page, "#stops", "demand")


def test_numbers_are_read_as_the_readers_do(page):
    texts = [
        *("12", "-3", "+4.", ".5", "1250", "1 250", "1\xa0250", "1\u202f250", "1'250", "1’250,5"),
        *("1.250,5", "1,250.5", "1.250", "1,250", "1.250.000", "1,250,000.5", "12,5", "0,125"),
        *("1,5000", "1e3", "2.5E-2", "1e999", "12.05.2026", "1.2.3", "1,25,3", "1 25", "40 kg"),
        *("", " 7 ", "x", "-", ".", "1-2", "0x10", "١٢", "1_000", "inf", "NaN", "12:30", "1 2 345"),
    ]
    told = page.evaluate(
        "texts => import('/numbers.js').then(n => texts.map(t => {"
        " const value = n.numeral(t); return Number.isNaN(value) ? null : value; }))",
        texts,
    )
    assert told == [None if text == "١٢" else read(text) for text in texts]
    doubtful = page.evaluate(
        "texts => import('/numbers.js').then(n => texts.filter(t => n.isDoubtful(t)))", texts
    )
    assert doubtful == ["1.250", "1,250"]


def read(text):
    try:
        return numerals.number(text.strip(), "", ".")
    except InputError:
        return None


def test_demands_with_thousands_are_found(page):
    paste(page, FRENCH)
    assert chosen(page) == {
        "name": "Magasin",
        "first": "Lat.",
        "second": "Long.",
        "demand": "Charge (kg)",
        "globe": "Latitude and longitude",
        "depot": "Entrepôt, 48,85, 2,35",
    }
    take(page)
    expect(page.locator("#day .stop")).to_have_count(2)
    assert page.locator("#stops-summary").inner_text() == "2 stops, demand 1330 in all."
    assert demands(page) == ["", "1250", "80"]
    paste(page, DANISH)
    assert chosen(page)["demand"] == "Last (kg)"
    page.select_option("#columns-globe", label="Latitude and longitude")
    take(page)
    expect(page.locator("#stops-summary")).to_have_text("2 stops, demand 1330.5 in all.")
    assert demands(page) == ["", "1250.5", "80"]


def test_a_cell_with_a_unit_is_told_of_and_no_demand_is_made_up(page):
    paste(page, ITALIAN)
    assert chosen(page)["demand"] == "Quantità"
    take(page)
    expect(page.locator("#notice")).to_have_text(
        "Line 4: demand is not a number: '40 kg'; write 40 without the unit."
    )
    assert page.locator("#day .stop").count() == 0
    paste(page, ITALIAN.replace(" kg", "").replace("12", "12 kg").replace(";7", ";7 kg"))
    assert chosen(page)["demand"] == "Quantità"  # though most of its cells have units
    take(page)
    expect(page.locator("#notice")).to_contain_text("demand is not a number: '12 kg'")
    paste(page, "Negozio;Nord;Est;Quantità\nMagazzino;0;0;\nRossi;1;2;ca. 12\nVerdi;4;4;molto\n")
    assert chosen(page)["demand"] == "Quantità"
    page.click("#columns-dialog button[value=leave]")


def test_a_column_of_figures_is_proposed_before_any_demand_of_1(page):
    paste(page, "Punkt;A;B;C;D\nBaza;0;0;;x\np;1;2;1 250;y\nq;3;4;8;z\n")
    assert chosen(page)["demand"] == "C"
    page.select_option("#columns-demand", "-1")
    take(page)
    expect(page.locator("#day .stop")).to_have_count(2)
    assert demands(page) == ["", "1", "1"]


def test_the_separator_of_a_table_tells_of_its_thousands(page):
    paste(page, 'Punkt,A,B,C\nBaza,0,0,\np,1,2,"1,250"\nq,3,4,80\n')
    assert chosen(page)["demand"] == "C"
    take(page)
    expect(page.locator("#day .stop")).to_have_count(2)
    assert demands(page) == ["", "1250", "80"]


def test_vehicles_with_unknown_headings_are_taken_for_vehicles(page, tmp_path):
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    vans = tmp_path / "Fuhrpark.CSV"
    vans.write_text(GERMAN_VANS, encoding="cp1252")
    page.set_input_files("#file", vans)
    assert chosen(page) == {
        "name": "Fahrzeug",
        "capacity": "Erlaubtes Gewicht (kg)",
        "speed": "Ø Geschwindigkeit (km/h)",
        "count": "(1 of each)",
    }
    assert kind(page) == "vehicles"
    assert page.locator("#columns-reason").is_hidden()
    take(page)
    expect(page.locator("#fleet tbody tr:first-child [data-key=name]")).to_have_value("Sprinter")
    assert column(page, "#fleet", "name") == ["Sprinter", "Rad"]
    assert column(page, "#fleet", "capacity") == ["1250.5", "120"]
    assert column(page, "#fleet", "speed") == ["45", "14"]
    assert column(page, "#fleet", "count") == ["1", "1"]
    assert page.locator("#day .stop").count() == 3
    assert page.locator("#done").inner_text() == "2 vehicles read."
    page.click("#undo")
    expect(page.locator("#fleet tbody tr:first-child [data-key=name]")).to_have_value("small van")
    assert column(page, "#fleet", "capacity") == ["100", "250"]
    paste(page, ITALIAN_VANS)
    assert kind(page) == "vehicles"
    assert list(chosen(page).values()) == ["Veicolo", "Peso utile (kg)", "Velocità", "(1 of each)"]
    page.click("#columns-dialog button[value=leave]")
    assert column(page, "#fleet", "capacity") == ["100", "250"]


def test_the_planner_says_whether_rows_are_stops_or_vehicles(page):
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    paste(page, "Pojazd;Waga;Sztuk\nBus;500;3\nRower;30;2\n")
    page.wait_for_selector("#columns-dialog[open]")
    assert kind(page) == "stops"
    page.check("[name=columns-kind][value=vehicles]")
    assert list(chosen(page)) == ["name", "capacity", "speed", "count"]
    page.select_option("#columns-count", label="Sztuk")
    take(page)
    expect(page.locator("#fleet tbody tr:first-child [data-key=name]")).to_have_value("Bus")
    assert column(page, "#fleet", "capacity") == ["500", "30"]
    assert column(page, "#fleet", "count") == ["3", "2"]


def test_a_number_plate_is_no_count(page):
    paste(page, "Auto;Number plate;Max kg;Velocità\nA;M-AB 12;500;30\nB;M-AB 13;300;30\n")
    assert chosen(page) == {
        "name": "Number plate",
        "capacity": "Max kg",
        "speed": "Velocità",
        "count": "(1 of each)",
    }
    page.click("#columns-dialog button[value=leave]")


def test_stops_with_a_vehicle_each_are_stops(page):
    paste(page, "Fahrzeug;Lat.;Long.;Fracht\nLager;48,1;11,5;\nA;48,2;11,6;3\nB;48,3;11,6;4\n")
    page.wait_for_selector("#columns-dialog[open]")
    assert kind(page) == "stops"
    assert chosen(page)["demand"] == "Fracht"


def test_what_was_replaced_comes_back(page):
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    page.fill("[data-row='0'][data-key=capacity]", "77")
    page.press("[data-row='0'][data-key=capacity]", "Tab")
    page.select_option("#demo", "munich")
    expect(page.locator("#day .stop")).to_have_count(40)
    page.click("#undo")
    expect(page.locator("#day .stop")).to_have_count(3)
    assert column(page, "#fleet", "capacity") == ["77", "250"]
    assert column(page, "#fleet", "speed") == ["1", "0.8"]
    assert demands(page) == ["", "2", "3", "4"]
    page.click("#clear")
    expect(page.locator("#day .stop")).to_have_count(0)
    assert page.locator("#done").inner_text() == "All stops are removed."
    page.click("#undo")
    expect(page.locator("#day .stop")).to_have_count(3)
    assert demands(page) == ["", "2", "3", "4"]
    page.click("#undo")  # of the undoing
    expect(page.locator("#day .stop")).to_have_count(0)
    page.click("#heard")
    expect(page.locator("#news")).to_be_hidden()


def test_the_depot_of_a_file_is_told(page, tmp_path):
    stops = tmp_path / "Tuesday.csv"
    stops.write_text("name,x,y,demand\nEast,3,0,2\nDepot,0,0,\nNorth,0,4,3\n")
    page.set_input_files("#file", stops)
    expect(page.locator("#done")).to_have_text(
        "2 stops read from Tuesday.csv. The depot is Depot (line 3)."
    )
    assert page.locator("#stops-summary").inner_text() == "Tuesday: 2 stops, demand 5 in all."
    stops.write_text("name,x,y,demand\nHome,0,0,\nEast,3,0,2\nNorth,0,4,3\n")
    page.set_input_files("#file", stops)
    expect(page.locator("#done")).to_have_text(
        "2 stops read from Tuesday.csv. The depot is Home (line 2, the first row)."
    )
