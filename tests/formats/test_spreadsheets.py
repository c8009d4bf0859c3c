"""CSV in the wild: numbers, headers and encodings of other countries, and what Excel reads."""

import copy
import csv as standard_csv
import io
import json
import pickle
import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hcvrp import InputError, Instance, Solution, Vehicle
from hcvrp.formats import (
    csv,
    depot_row,
    format_json,
    judge,
    parse_fleet,
    read_instance,
    read_solution,
    units,
    unused_of_customers,
    unused_of_fleet,
    write,
)
from hcvrp.formats.columns import normal
from hcvrp.formats.numerals import number
from hcvrp.formats.spreadsheet import bare, is_sheet, safe
from hcvrp.formats.stops import detail_columns

VANS = [Vehicle(2000), Vehicle(900)]
TOWN = Instance(
    [1200, 2.5],
    VANS,
    depot=(48.137, 11.575),
    customers=[(48.2, 11.6), (48.1, 11.5)],
    metric="great-circle",
    customer_names=["Café Müller", "Bäckerei"],
)


def stops(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "stops.csv"
    path.write_bytes(text.encode(encoding))
    return read_instance(path, fleet=VANS)


def refusal(text, parse=lambda table: csv.parse_customers(table, VANS)):
    with pytest.raises(InputError) as caught:
        parse(csv.load(text))
    return str(caught.value)


GERMAN = (
    "Kunde;Breitengrad;Längengrad;Gewicht (kg)\r\n"
    "Lager;48,137;11,575;\r\nCafé Müller;48,2;11,6;1.200\r\nBäckerei;48,1;11,5;2,5\r\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_every_encoding_that_excel_writes(tmp_path, encoding):
    assert stops(tmp_path, GERMAN, encoding) == TOWN


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\n" + GERMAN,
        "Tour am Montag;;;\r\n;;;\r\n" + GERMAN,
        GERMAN.replace("\r\n", ";;\r\n") + ";;;;;\r\n;;;\r\n",
        GERMAN.replace(";", "\t"),
        GERMAN.replace("1.200", "1 200").replace("Gewicht (kg)", "Menge"),
        GERMAN.replace("1.200", "1'200").replace("Kunde", "Empfänger"),
        GERMAN.replace("1.200", "1,2E+03"),
        (
            "Nom,Latitude,Longitude,Quantité\nDépôt,48.137,11.575,\n"
            'Café Müller,48.2,11.6,"1,200"\nBäckerei,48.1,11.5,2.5\n'
        ),
        (
            'Cliente,Latitud,Longitud,Peso\nalmacén,"48,137","11,575",\n'
            'Café Müller,"48,2","11,6","1.200"\nBäckerei,"48,1","11,5","2,5"\n'
        ),
        (
            "id,stop,lat,lng,qty [kg],notes,notes\n0,warehouse,48.137,11.575,0,,\n"
            "1,Café Müller,48.2,11.6,1200,ring twice,\n2,Bäckerei,48.1,11.5,2.5\n"
        ),
    ],
)
def test_the_same_town_from_four_countries(tmp_path, text):
    assert stops(tmp_path, text) == TOWN


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1234.5", None, 1234.5),
        ("1.234,5", None, 1234.5),
        ("1,234.5", None, 1234.5),
        ("1.234.567", None, 1234567),
        ("1.234", ".", 1.234),
        ("1.234", ",", 1234),
        ("0.125", ",", 0.125),
        ("0,125", ".", 0.125),
        ("-3,50", None, -3.5),
        (".5", None, 0.5),
        ("12.", None, 12),
        ("12 345,6", None, 12345.6),
        ("1e-3", None, 0.001),
    ],
)
def test_numbers(text, decimal, value):
    assert number(text, "demand", decimal) == value


@given(st.floats(-1e7, 1e7).map(lambda x: round(x, 2)))
def test_numbers_in_the_english_and_the_german_way(value):
    english = f"{value:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    assert number(english, "x", None) == number(german, "x", None) == value


@pytest.mark.parametrize("text", ["1.23,4.5", "1,2,3", "12.34.567", "..", "5-", "twelve", "1_000"])
def test_what_is_no_number(text):
    with pytest.raises(InputError, match="demand is not a number"):
        number(text, "demand", ".")


def test_headers_lose_units_accents_and_case():
    assert normal(" Kapazität (kg) ") == "kapazitaet"
    assert normal("Quantité [pcs]") == "quantite"
    assert normal("Speed km/h") == "speed"
    assert normal("KAPAZITÄT_kg") == "kapazitaet"


LONG = 130_000
"""About what a cell may hold; in steps that grow with its square a test of it would not end."""


@pytest.mark.parametrize("text", ["1" * LONG + "x", "5" + "a" * LONG + " b", "." * LONG + "x"])
def test_long_cells_that_are_no_number(text):
    with pytest.raises(InputError, match="demand is not a number"):
        number(text, "demand", ".")


@pytest.mark.parametrize("text", ["(" * LONG, "[(" * LONG, "(a" * LONG])
def test_long_cells_of_brackets(text):
    assert set(normal(text)) <= {"a", " "}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "x;y;menge\n0;0;0\n1;1;1.200\n",
            (
                "line 3: demand (column 'menge') is 1.200, which may mean thousands or decimals:"
                " write 1200 or 1.2000"
            ),
        ),
        (
            "lat;lon;demand\n48.1285;11.5905;\n48.1243;11.5875;60\n48.104;11.6272;1.200\n",
            ("line 4: demand is 1.200, which may mean thousands or decimals: write 1200 or 1.2000"),
        ),
        (
            "lat\tlon\tdemand\n48.1285\t11.5905\t\n48.1243\t11.5875\t1,200\n",
            ("line 3: demand is 1,200, which may mean thousands or decimals: write 1200 or 1,2000"),
        ),
        (
            "x,y,gewicht\n0,0,0\n1,1,schwer\n",
            "line 3: demand (column 'gewicht') is not a number: 'schwer'",
        ),
        (
            "x,y,demand\n0,0,0\n1,1,60 kg\n",
            "line 3: demand is not a number: '60 kg'; write 60 without the unit",
        ),
        (
            "x,y,demand\n0,0,0\n1,1,1 200 kg\n",
            "line 3: demand is not a number: '1 200 kg'; write 1200 without the unit",
        ),
        ("x,y,demand\n0,0,0\n1,1,12:30\n", "line 3: demand is not a number: '12:30'"),
        ("x,y,demand\n0,0,0\n1,1,12h30\n", "line 3: demand is not a number: '12h30'"),
        (
            'x;y;demand\n0;0;0\n1;1;"1,2 t"\n2;2;800 kg\n',
            (
                "line 3: demand is not a number: '1,2 t'; the column is in kg and t:"
                " write all in one unit, which the header may tell"
            ),
        ),
        (
            "x,y,Gewicht (kg)\n0,0,0\n1,1,1.2 t\n",
            (
                "line 3: demand (column 'Gewicht (kg)') is not a number: '1.2 t'; the column is in"
                " kg and t: write all in one unit, which the header may tell"
            ),
        ),
        (
            "x,y,demand in kg\n0,0,0\n1,1,60 Kilo\n",
            "line 3: demand is not a number: '60 Kilo'; write 60 without the unit",
        ),
        (
            "kunde,x,y,anzahl\nLager,0,0,0\nA,1,1,5000\n",
            (
                "line 3: no vehicle can carry customer A: its demand is 5000, the largest capacity"
                " 2000 (columns taken: 'kunde' for name, 'anzahl' for demand;"
                " rename them if that is wrong)"
            ),
        ),
        (
            "nr,x,y,demand\n0,0,0,\n1,1,1,5\nSumme,,,5\n",
            (
                "line 4 (Summe) has no place, x and y are empty: take the row out if it is no"
                " customer (columns taken: 'nr' for name; rename them if that is wrong)"
            ),
        ),
        (
            "x,y,gewicht,anzahl\n0,0,0,0\n",
            "columns gewicht and anzahl both mean demand: call the right one demand",
        ),
        (
            "kunde,x,y,stapel\nLager,0,0,0\n",
            (
                "column demand is missing; the file has: kunde, x, y, stapel"
                " (call the right one demand)"
            ),
        ),
    ],
)
def test_sentences_that_say_what_was_taken_for_what(text, sentence):
    assert refusal(text) == sentence


TICKS = ["x", "X", "y", "[x]", "no", "kg", "x (m)"]


@pytest.mark.parametrize("tick", TICKS)
@pytest.mark.parametrize(
    "rows",
    [
        "Depot,1 Yard,53.80,-1.55,,{}\nBakery,2 Mill,53.81,-1.54,60,y\n",
        "Depot,1 Yard,53.80,-1.55,,y,{}\nBakery,2 Mill,53.81,-1.54,60,,x\n",
        "Depot,1 Yard,53.80,-1.55,,\nBakery,2 Mill,53.81,-1.54,60,{}\n",
    ],
)
def test_a_tick_is_no_header(rows, tick):
    text = rows.format(tick)
    assert refusal(text) == (
        "the first line must name the columns, such as name, lat, lon, demand for stops or name,"
        f" capacity, speed for vehicles; it is: {', '.join(text.splitlines()[0].split(','))}"
    )


@pytest.mark.parametrize("header", ["x,y,kg,2024", "no,x,y,demand,2024", "kg,x,y,2024"])
def test_a_header_of_short_words_and_a_year(header):
    row = {"x": "3", "y": "4", "kg": "2", "demand": "2"}
    depot = ",".join("0" for _ in header.split(","))
    stop = ",".join(row.get(name, "7") for name in header.split(","))
    town = csv.parse_customers(csv.load(f"{header}\n{depot}\n{stop}\n"), VANS)
    assert town.demands.tolist() == [2]
    assert town.coordinates.tolist() == [[0, 0], [3, 4]]


def test_a_missing_column_beside_a_year_is_named():
    assert refusal("name,lat,lon,2024\nDepot,53.8,-1.55,\nA,53.9,-1.5,60\n") == (
        "column demand is missing; the file has: name, lat, lon, 2024 (call the right one demand)"
    )


def test_a_fleet_with_remarks(tmp_path):
    path = tmp_path / "autos.csv"
    path.write_bytes(
        "Kennzeichen;Nutzlast (kg);Geschwindigkeit km/h;Anzahl;Bemerkung\r\n"
        "M-AB 1;1.200,5;32,5;;neu\r\nM-AB 2;800;28;1;\r\nRad;90;15;2;\r\n".encode("cp1252")
    )
    assert parse_fleet(str(path)) == [
        Vehicle(1200.5, 32.5, "M-AB 1"),
        Vehicle(800, 28, "M-AB 2"),
        Vehicle(90, 15, "Rad 1"),
        Vehicle(90, 15, "Rad 2"),
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("capacity,spede\n10,2\n", "unknown column 'spede'; a fleet has: {} (did you mean speed?)"),
        (
            "capacity,speed,cuont\n10,2,3\n",
            "unknown column 'cuont'; a fleet has: {} (did you mean count?)",
        ),
        (
            "capacity,year\n10,2019\n",
            "unknown column 'year'; a fleet has: {} (rename it or take it out)",
        ),
    ],
)
def test_a_column_of_numbers_that_may_be_misspelt(text, hint):
    assert refusal(text, csv.parse_fleet) == hint.format("name, capacity, speed, count")


@pytest.mark.parametrize(
    ("header", "demand", "value"),
    [
        ("lat,lon,demand", "1.200", 1.2),  # among commas a point is one of decimals
        ("lat;lon;demand", "1.200,5", 1200.5),
        ("lat;lon;demand", "1.20", 1.2),
    ],
)
def test_demands_beside_degrees_with_points(header, demand, value):
    separator = header[3]
    rows = [["48.1285", "11.5905", ""], ["48.1243", "11.5875", demand]]
    text = "\n".join([header, *(separator.join(row) for row in rows)])
    assert csv.parse_customers(csv.load(text), VANS).demands.tolist() == [value]


@pytest.mark.parametrize(
    "word",
    [
        *("number of vehicles", "No. of vehicles", "units", "available", "Anzahl Fahrzeuge"),
        *("Stk.", "Stückzahl", "verfügbar", "Nombre de véhicules", "Unidades"),
    ],
)
def test_a_count_by_its_usual_names(word):
    text = f"name;capacity;speed;{word}\nbike;120;14;1\nvan;1500;28,5;2\n"
    assert csv.parse_fleet(csv.load(text)) == (
        Vehicle(120, 14, "bike"),
        Vehicle(1500, 28.5, "van 1"),
        Vehicle(1500, 28.5, "van 2"),
    )


@pytest.mark.parametrize("word", ["pieces", "vans", "vehicles", "No. of bikes", "Anz.", "Flotte"])
def test_an_unknown_column_that_may_be_a_count_is_refused(word):
    text = f"name,capacity,speed,{word}\nbike,120,14,\nvan,1500,28.5,4\n"
    assert refusal(text, csv.parse_fleet) == (
        f"unknown column {word!r} (up to 4) may tell how many of each vehicle there are:"
        " call it count if it does, else delete it"
    )


@pytest.mark.parametrize("word", ["pieces", "vans", "pace"])
def test_without_a_speed_it_may_be_one_as_well(word):
    assert refusal(f"capacity,{word}\n120,1\n1500,4\n", csv.parse_fleet) == (
        f"unknown column {word!r}; a fleet has: name, capacity, speed, count"
        " (rename it or take it out)"
    )


@pytest.mark.parametrize(
    ("word", "cells"),
    [
        ("Fahrzeug-Nr.", "4,2,7"),
        ("driver id", "4,2,7"),
        ("licence number", "4,2,7"),
        ("number of seats", "4,2,7"),
        ("Emission (Euro)", "4,6,6"),
        ("place", "1,2,3"),  # the rows, counted
        ("cooled", "0,1,1"),
        ("pieces", "1,1,1"),  # which is what it is anyway
        ("Baujahr", "2019,2020,2021"),
        ("Sitze", "2,3,3"),
        ("Laderaum (m³)", "2,11,14"),
        ("cost per km", "1,2,2"),
        ("deposit", "100,200,200"),
        ("factor", "1.5,2,2"),
    ],
)
def test_numbers_that_are_plainly_no_count_are_passed_over(word, cells):
    rows = (f"v{k},{9 + k},30,{cell}" for k, cell in enumerate(cells.split(",")))
    text = "\n".join([f"name,capacity,speed,{word}", *rows])
    assert [v.capacity for v in csv.parse_fleet(csv.load(text))] == [9, 10, 11]


def test_beside_a_count_any_numbers_are_passed_over():
    text = "capacity,speed,count,pieces\n10,30,2,4\n"
    assert csv.parse_fleet(csv.load(text)) == (Vehicle(10, 30),) * 2


@pytest.mark.parametrize("word", ["Typ", "Fahrzeugtyp", "vehicle type", "Type de véhicule"])
def test_kinds_are_names_unless_two_are_of_one(word):
    text = f"{word};capacity\nvan;9\nbike;2\n"
    assert csv.parse_fleet(csv.load(text)) == (Vehicle(9, name="van"), Vehicle(2, name="bike"))
    alike = text.replace("bike", "van")
    assert csv.parse_fleet(csv.load(alike)) == (Vehicle(9), Vehicle(2))
    plates = f"{word};Kennzeichen;capacity\nvan;M 1;9\nvan;M 2;2\n"
    assert [v.name for v in csv.parse_fleet(csv.load(plates))] == ["M 1", "M 2"]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"price": ["3,50 €", "4 €"]}, "column 'price' is"),
        ({"Liefertag": ["12.05.2026", "13.05.2026"]}, None),
        ({"Tel.": ["555", "556"]}, None),
        ({"phone (home)": ["555", "556"]}, None),
        ({"Kosten je Tour": ["20", "25"]}, "column 'Kosten je Tour' is"),
        ({"contact": ["0891234", "0891235"]}, None),
        ({"note": ["2", "ring twice"]}, None),
        ({"": ["2", "3"]}, None),
        ({"PLZ": ["80331", "80333"]}, None),
        ({"value": ["2", ""], "note": ["a", "b"], "m³": ["1,5", "2"]}, "columns 'value', 'm³' are"),
    ],
)
def test_columns_of_amounts_that_are_not_used(tmp_path, columns, told):
    header = ["x", "y", *columns, "demand"]
    depot, stop = zip(*columns.values(), strict=True)
    rows = [header, ["1", "2", *depot, "0"], ["1", "2", *stop, "3"]]
    instance = stops(tmp_path, "\n".join(map(";".join, rows)))
    rest = " not used; stops have: name, lat and lon (or x and y), demand"
    assert unused_of_customers(instance) == (told and told + rest)


def test_only_a_spreadsheet_has_columns_to_speak_of():
    assert unused_of_customers(TOWN) is None
    assert unused_of_fleet("20@30,25@28.5x2") is None
    assert depot_row(TOWN) is None


def test_an_instance_from_a_sheet_is_the_same_problem(tmp_path):
    text = "Kunde;lat;lon;kg;Tel.\nLager;48.137;11.575;;1\nCafé Müller;48.2;11.6;1200;2\n"
    read_in = stops(tmp_path, f"{text}Bäckerei;48.1;11.5;2.5;3\n")
    assert read_in == TOWN
    assert depot_row(read_in) == "Lager (line 2)"
    sent = pickle.loads(pickle.dumps(read_in))
    assert sent == TOWN
    assert type(sent) is Instance
    assert vars(sent).keys() == vars(TOWN).keys()


def test_copies_and_other_fleets_keep_what_is_known_of_the_stops(tmp_path):
    text = "name,x,y,demand,note,cost\nhome,0,0,,,\nA,3,4,1,ring,2 €\nB,2,0,1,,3 €\n"
    read_in = stops(tmp_path, text)
    assert read_in.capacities.tolist() == [2000, 900]
    other = read_in.with_vehicles([7])
    assert other == Instance(
        [1, 1], [7], depot=(0, 0), customers=[(3, 4), (2, 0)], customer_names=["A", "B"]
    )
    assert other.capacities.tolist() == [7]
    for same in (copy.copy(read_in), copy.deepcopy(read_in), other):
        cells = [["", ""], ["ring", "2 €"], ["", "3 €"]]
        assert detail_columns(same, ()) == (["note", "cost"], cells)
        assert depot_row(same) == "home (line 2, the first row)"
        assert unused_of_customers(same).startswith("column 'cost' is not used; ")
    assert copy.deepcopy(read_in) == read_in != other


# What the plan takes over from the sheet of the stops ---------------------------------------------


def plan(tmp_path, text, trip=(1, 2)):
    """The rows of the plan, behind our own columns, in which the vehicle drives one trip."""
    instance = stops(tmp_path, text)
    path, solution = tmp_path / "plan.csv", Solution([[trip], []])
    write(path, solution, instance=instance)
    assert read_solution(path, instance) == solution
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(standard_csv.reader(file))
    own = 1 + rows[0].index("arrival")
    assert all(len(row) == len(rows[0]) for row in rows)
    return [row[own:] for row in rows]


def test_other_columns_come_through_in_their_order_beside_each_stop(tmp_path):
    text = (
        "Adresse;Kunde;Tel.;Breitengrad;Längengrad;Menge;Bemerkung\n"
        "Am Hof 1;Lager;;48,1;11,5;;\n"
        'Weg 2;Bäcker;089 12;48,2;11,5;5;"2. Stock; läuten\nzweimal"\n'
        "Weg 3;Café;007;48,3;11,5;5\n"
    )
    assert plan(tmp_path, text, trip=(2, 1)) == [
        ["Adresse", "Tel.", "Bemerkung"],
        ["Weg 3", "007", ""],
        ["Weg 2", "089 12", "2. Stock; läuten\nzweimal"],
        ["Am Hof 1", "", ""],  # back at the depot
    ]


def test_other_columns_stand_behind_the_times(tmp_path):
    path = tmp_path / "stops.csv"
    path.write_text("lat,lon,demand,note\n0,0,0,home\n0,1,1,ring\n")
    instance = read_instance(path, fleet=[Vehicle(5, 44.478)])  # a degree in two and a half hours
    write(path, Solution([[[1]]]), instance=instance)
    header, stop, back = path.read_text().splitlines()
    assert header.endswith(",load,arrival,h:mm,note")
    assert stop.endswith(",1,0,2.5,2:30,ring")
    assert back.endswith(",0,0,5,5:00,home")


def test_a_column_that_is_called_like_one_of_ours_gets_another_name(tmp_path):
    text = (
        "name,type,x,y,demand,Order,trip (old),Customer name,vehicle,H:MM\n"
        "A,,1,0,1,77,4,Anna,red,8:00\nhome,depot,0,0,,,,,,\nB,shop,2,0,1,78,5,Bert,,9:00\n"
    )
    ours = ["stops: Order", "stops: trip (old)", "stops: Customer name", "stops: vehicle"]
    assert plan(tmp_path, text) == [
        ["type", *ours, "H:MM"],  # times are no hours here: there is no such column
        ["", "77", "4", "Anna", "red", "8:00"],
        ["shop", "78", "5", "Bert", "", "9:00"],
        ["depot", "", "", "", "", ""],
    ]


def test_a_type_that_all_customers_share_is_left_out(tmp_path):
    text = "name,type,x,y,demand,note\nhome,depot,0,0,,\nA,customer,1,0,1,ring\nB,customer,2,0,1,\n"
    assert plan(tmp_path, text) == [["note"], ["ring"], [""], [""]]
    assert plan(tmp_path, text.replace("B,customer", "B,customer ")) == plan(tmp_path, text)


def test_a_column_without_a_name_gets_one_if_there_is_anything_in_it(tmp_path):
    text = ",x,,y,,demand\n1,0,,0,,0\n2,1,,0,,3\n,2,,0,,3\n"
    assert plan(tmp_path, text) == [["column 1"], ["2"], [""], ["1"]]


def test_the_last_column_may_be_without_a_name_too(tmp_path):
    text = "x,y,demand,note,,,\n0,0,0,a,b\n1,0,1,c,d,\n2,0,1,,e\n"
    assert plan(tmp_path, text) == [["note", "column 5"], ["c", "d"], ["", "e"], ["a", "b"]]
    assert plan(tmp_path, "x,y,demand,,,\n0,0,,,\n1,0,1,,\n2,0,1\n") == [[], [], [], []]
    assert refusal("x,y,demand,note,\n0,0,0\n1,0,1,,,f\n") == "line 3 has 6 cells, the header 5"
    assert refusal("x,y,demand,note\n0,0,0\n1,0,1,,e\n") == "line 3 has 5 cells, the header 4"


def test_cells_that_are_words_of_a_header_do_not_make_one(tmp_path):
    text = (
        "name,x,y,demand,fragile,lift,dock,cool,unit\n"
        "home,0,0,,,,,,\nA,1,0,1,no,no,no,no,kg\nB,2,0,1,id,type,nr,units,capacity\n"
    )
    for separator in ",;\t":
        assert plan(tmp_path, text.replace(",", separator)) == [
            ["fragile", "lift", "dock", "cool", "unit"],
            ["no", "no", "no", "no", "kg"],
            ["id", "type", "nr", "units", "capacity"],
            ["", "", "", "", ""],
        ]
    vans = "Kennzeichen,Nutzlast,cool,lift,dock\nM 1,9,no,no,no\n"
    assert csv.parse_fleet(csv.load(vans)) == (Vehicle(9, name="M 1"),)
    titled = "no,no,no\nname,capacity,cool\nM 1,9,no\n"
    assert csv.parse_fleet(csv.load(titled)) == (Vehicle(9, name="M 1"),)


def test_a_plan_whose_details_are_words_of_its_header_is_read_back(tmp_path):
    words = ["vehicle", "trip", "order", "customer", "no", "id", "kg", "units", "type", "lat"]
    heads = ",".join(f"c{k}" for k in range(len(words)))
    rows = plan(tmp_path, f"x,y,demand,{heads}\n0,0,0\n1,0,1,{','.join(words)}\n2,0,1\n")
    assert rows[1] == words


def test_columns_of_one_name_and_empty_ones(tmp_path):
    text = "x,y,demand,note,Note,note,sign here\n0,0,0,,,\n1,0,3,a,b,c\n2,0,3,,,d\n"
    header = ["note", "Note", "note (6)"]
    assert plan(tmp_path, text) == [header, ["a", "b", "c"], ["", "", "d"], ["", "", ""]]


def test_a_mark_keeps_a_column_from_being_taken_for_another(tmp_path):
    text = "x,y,demand,stops: demand,stops: lat,stops: PLZ\n0,0,0,1,2,\n1,0,3,4,5,80331\n2,0,3,,,\n"
    assert plan(tmp_path, text)[:2] == [["stops: demand", "lat", "PLZ"], ["4", "5", "80331"]]
    assert unused_of_customers(stops(tmp_path, text)) is None


def test_a_sheet_becomes_a_document_and_keeps_its_details(tmp_path):
    text = (
        "Kunde;lat;lon;kg;Tel.;Tor\nLager;48.137;11.575;;;3\nA;48.2;11.6;12;007;\nB;48.1;11.5;2;;\n"
    )
    read_in = stops(tmp_path, text)
    write(tmp_path / "town.json", read_in)
    document = json.loads((tmp_path / "town.json").read_text())
    assert document["depot"]["details"] == {"Tel.": "", "Tor": "3"}
    assert [c.get("details") for c in document["customers"]] == [{"Tel.": "007"}, None]
    again = read_instance(tmp_path / "town.json")
    assert again == read_in
    assert (
        detail_columns(again, ())
        == detail_columns(read_in, ())
        == (["Tel.", "Tor"], [["", "3"], ["007", ""], ["", ""]])
    )
    assert depot_row(again) is unused_of_customers(again) is None
    with pytest.raises(InputError, match="the file holds an instance, not a fleet"):
        parse_fleet(str(tmp_path / "town.json"))
    plain = read_instance(stops_without_details(tmp_path), fleet=VANS)
    assert "details" not in format_json(plain)


def stops_without_details(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("name,x,y,demand\ndepot,0,0,\nA,1,0,1\n")
    return path


def test_other_cells_cannot_be_formulas_either(tmp_path):
    text = (
        "x,y,demand,phone,=note,°C\n0,0,0,,,\n1,0,1,+49 (89) 1-2,=1+1,-18\n"
        '2,0,1,\'+49 89 a3,@home,"-1,5"\n'
    )
    assert plan(tmp_path, text)[:3] == [
        ["phone", "'=note", "°C"],
        ["+49 (89) 1-2", "'=1+1", "-18"],
        ["'+49 89 a3", "'@home", "-1,5"],
    ]


def test_a_header_that_would_be_a_formula_does_not_grow(tmp_path):
    read_in = stops(tmp_path, "x,y,demand,'=n\n0,0,0\n1,0,1,'=c\n")
    assert read_in.details == [{"=n": ""}, {"=n": "=c"}]
    assert plan(tmp_path, "x,y,demand,'=n\n0,0,0\n1,0,1,a\n2,0,1,b\n")[0] == ["'=n"]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a - b = c; d@e", "a - b = c; d@e"),
        ("a\r\n\r\nb", "a\r\n\r\nb"),
        ("it's 'so'", "it's 'so'"),
        (" =3", "' =3"),
        ("\n=2", "\n'=2"),
        ("＝4", "'＝4"),
        ("＠a", "'＠a"),
        ("x;=1+1", "x;'=1+1"),
        ("x;'=1+1", "x;''=1+1"),
        ("x; \t +1", "x; \t' +1"),
        ('x;"=1"', 'x;\'"=1"'),
        ("ring\n- twice", "ring\n'- twice"),
        ("+49 (0)89 00-01", "+49 (0)89 00-01"),
        ("'+49 89", "''+49 89"),
        ("call\n+49 89;x", "call\n+49 89;x"),
        ("+49 89+1", "'+49 89+1"),
        ("+49;+A1", "+49;'+A1"),
        ("+()", "'+()"),
        ("-49 89", "'-49 89"),
    ],
)
def test_a_formula_may_begin_behind_blanks_or_another_separator(text, cell):
    assert safe(text) == cell
    assert bare(cell) == text


def test_a_long_run_of_blanks_is_looked_through_once():
    blanks = "\t" * 10**6
    assert safe(f"{blanks}=") == f"{blanks}'="


@given(st.text(st.sampled_from("=+-@＝＋－＠'\";, \t\r\n\xa0a")))
def test_no_separator_leaves_a_formula_and_every_text_is_read_back(text):
    cell = safe(text)
    assert bare(cell) == text
    for part in re.split("[;\t\r\n]", cell):
        assert not re.match(r"[\s\"]*[=+\-@＝＋－＠]", part)


def test_other_columns_of_a_fleet_are_passed_over():
    assert csv.parse_fleet(csv.load("capacity,note\n10,fast\n")) == (Vehicle(10),)
    text = "Zuladung [kg];Ø km/h;Baujahr\n1.200,5;32;2019\n"
    assert csv.parse_fleet(csv.load(text)) == (Vehicle(1200.5, 32),)


@pytest.mark.parametrize("name", ["=1+1", "+49 a", "-5", "@home", "'=x", "''-", " =x"])
def test_names_that_would_be_formulas_are_made_safe_and_read_back(tmp_path, name):
    town = Instance([1], VANS, depot=(0, 0), customers=[(1, 1)], customer_names=[name])
    path = tmp_path / "town.csv"
    write(path, town)
    assert f",'{name}," in path.read_text()
    assert read_instance(path, fleet=VANS) == town
    fleet = [Vehicle(5, 1, name)]
    write(path, fleet)
    assert parse_fleet(str(path)) == fleet


def test_a_byte_order_mark_only_where_excel_needs_one(tmp_path):
    path = tmp_path / "plan.csv"
    plan = Solution([[[1, 2]], []])
    write(path, plan, instance=TOWN)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfvehicle,")
    plain = Instance([1, 2], VANS, depot=(0, 0), customers=[(1, 1), (2, 2)])
    write(path, plan, instance=plain)
    assert path.read_bytes().startswith(b"vehicle,")


CELL = st.text(st.sampled_from("0123456789.,;\t\"' -+=e\nxyab äß"), max_size=12)


@given(st.lists(st.lists(CELL, min_size=1, max_size=4), max_size=5), st.sampled_from(",;\t"))
def test_any_cells_are_read_or_refused(rows, separator):
    text = "\n".join(separator.join(row) for row in [["name", "x", "y", "demand"], *rows])
    with suppress(InputError):
        csv.parse_customers(csv.load(text), VANS)


WORD = st.sampled_from(["no", "id", "kg", "units", "vehicle", "trip", "order", "customer", "lat"])
FILLED = CELL | WORD
HEADER = FILLED | st.sampled_from(["Order", "vehicle name", "load (kg)", "sep=;", "stops: order"])


@given(st.lists(st.tuples(HEADER, FILLED, FILLED, FILLED), max_size=12))
def test_a_plan_with_any_other_columns_is_read_back(columns):
    known = [("x", *"012"), ("y", *"000"), ("demand", *"011")]
    sheet = io.StringIO(newline="")
    standard_csv.writer(sheet).writerows(zip(*known, *columns, strict=True))
    try:
        instance = csv.parse_customers(csv.load(sheet.getvalue()), VANS)
    except InputError:
        return  # such as a second column x
    solution = Solution([[[1]], [[2]]])
    again = csv.load(csv.format_solution(solution, instance))
    assert csv.parse_solution(again).solution(instance) == solution


# Rows of the sheet and lines of its file ----------------------------------------------------------


BROKEN = 'name,x,y,demand,note\nhome,0,0,,"two\nlines"\nA,1,0,1,"a\n\nb"\n'
"""The row of A is the third of the sheet and ends on line 6 of the file."""


@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        ("B,1,0,many\n", "row 4 (line 7 of the file): demand is not a number: 'many'"),
        (
            "A,1,0,1\n",
            (
                "rows 3 and 4 (lines 6 and 7 of the file) have the same name: 'A';"
                " add something that tells them apart"
            ),
        ),
        (
            "\nSumme,,,1\n",
            (
                "row 5 (Summe; line 8 of the file) has no place, x and y are empty:"
                " take the row out if it is no customer"
            ),
        ),
        ("B,1,0,1,,,9\n", "row 4 (line 7 of the file) has 7 cells, the header 5"),
        (
            "B,1,0,5000\n",
            (
                "row 4 (line 7 of the file): no vehicle can carry customer B: its demand is 5000,"
                " the largest capacity 2000"
            ),
        ),
        ('B,1,0,"1"x\n', "row 4 (line 7 of the file): not CSV: ',' expected after '\"'"),
    ],
)
def test_rows_are_counted_where_cells_have_lines(rest, sentence):
    assert refusal(BROKEN + rest) == sentence


def test_the_first_row_is_that_below_the_separator():
    text = "sep=;\nname;x;y;demand\ndepot;0;0;\nA;1;0;many\n"
    assert refusal(text) == "row 3 (line 4 of the file): demand is not a number: 'many'"
    read_in = csv.parse_customers(csv.load(text.replace("many", "1")), VANS)
    assert depot_row(read_in) == "depot (row 2, line 3 of the file)"


def test_a_plan_is_told_by_rows_and_lines_too(tmp_path):
    town = Instance([5, 5], [Vehicle(5, name="van")], depot=(0, 0), customers=[(1, 0), (2, 0)])
    path = tmp_path / "plan.csv"
    path.write_text('note,vehicle,trip,order,customer\n"a\nb",1,1,1,1\n,1,1,2,2\n')
    [(_, violations)] = judge(path, [town])
    told = "row 2 (line 3 of the file): trip 1 of van carries 10, more than its capacity of 5"
    assert violations == [told]


def test_a_row_without_a_place_goes_by_its_name():
    text = "id,x,y,demand,name\n0,0,0,0,home\n1,1,1,5,A\n2,,,5,B\n"
    assert refusal(text).startswith("line 4 (B) has no place, x and y are empty")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            "Depot;;;\nA;53,8;-1,55;60\n",
            (
                "line 2 (Depot) has no place, lat and lon are empty:"
                " it is the depot, where all routes begin and end"
            ),
        ),
        (
            "A;53,8;-1,55;60\nB;;;5\nLager; ;;0\n",
            (
                "line 4 (Lager) has no place, lat and lon are empty:"
                " it is the depot, where all routes begin and end"
            ),
        ),
        ("Depot;53,8;;\nA;53,8;-1,55;60\n", "line 2: lon is empty"),
    ],
)
def test_a_depot_without_a_place(rows, sentence):
    assert refusal(f"name;lat;lon;demand\n{rows}") == sentence


# Units --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "unit"),
    [
        ("Gewicht (t)", "t"),
        ("Gewicht in t", "t"),
        ("Tonnen", "t"),
        ("Nutzlast [kg, netto]", "kg"),
        ("KAPAZITÄT_kg", "kg"),
        ("Laderaum (m³)", "m³"),
        ("Ø km/h", "km/h"),
        ("speed (mph)", "mph"),
        ("Geschwindigkeit (in m/s)", "m/s"),
        ("Vitesse (nœuds)", "knots"),
        ("Menge (Stück)", "pieces"),
        ("Menge (netto)", None),
        ("demand", None),
        ("()", None),
    ],
)
def test_the_unit_of_a_header(header, unit):
    assert units.named(header) == unit


@pytest.fixture
def day(tmp_path):
    """Reads stops of one demand together with vehicles, from the headers of their columns."""

    def read_in(demand, capacity, speed="Tempo", places="lat;lon"):
        (tmp_path / "stops.csv").write_text(f"Kunde;{places};{demand}\nLager;1;2;\nA;1;3;0,8\n")
        (tmp_path / "vans.csv").write_text(f"Fahrzeug;{capacity};{speed}\nvan;1.500,0;10\n")
        return read_instance(tmp_path / "stops.csv", fleet=parse_fleet(str(tmp_path / "vans.csv")))

    return read_in


@pytest.mark.parametrize(
    ("demand", "capacity"),
    [
        ("Gewicht (kg)", "Nutzlast (kg)"),
        ("Gewicht (Kilo)", "Nutzlast in kg"),
        ("Gewicht (t)", "Nutzlast"),
        ("Gewicht", "Nutzlast (t)"),
        ("Pakete", "Nutzlast (Stk.)"),
    ],
)
def test_one_unit_or_none_is_as_it_was(day, demand, capacity):
    instance = day(demand, capacity)
    assert (instance.demands.tolist(), instance.capacities.tolist()) == ([0.8], [1500])


def test_demands_and_capacities_in_two_units_are_refused(day, tmp_path):
    with pytest.raises(InputError) as caught:
        day("Gewicht (t)", "Nutzlast (kg)")
    assert str(caught.value) == (
        f"{tmp_path / 'stops.csv'}: demand is in t (column 'Gewicht (t)'), but capacity in kg"
        " (column 'Nutzlast (kg)' of the vehicles): give both in one unit"
    )
    with pytest.raises(InputError, match=r"demand is in pallets .* capacity in kg"):
        day("Paletten", "Nutzlast (kg)")


@pytest.mark.parametrize(
    ("speed", "unit"),
    [
        ("Geschwindigkeit (m/s)", "m/s"),
        ("speed (mph)", "mph"),
        ("mph", "mph"),
        ("speed in knots", "knots"),
    ],
)
def test_speeds_on_the_globe_are_kilometres_an_hour(day, tmp_path, speed, unit):
    with pytest.raises(InputError) as caught:
        day("Gewicht", "Nutzlast", speed)
    assert str(caught.value) == (
        f"{tmp_path / 'stops.csv'}: speed is in {unit} (column '{speed}' of the vehicles), but"
        " between latitudes and longitudes it must be in km/h: give the speeds in km/h, and say so"
        " in the header"
    )
    assert day("Gewicht", "Nutzlast", speed, places="x;y").speeds.tolist() == [10]
    vans = parse_fleet(str(tmp_path / "vans.csv"))
    write(tmp_path / "town.json", TOWN)
    with pytest.raises(InputError, match=r"town.json: speed is in .*, but between latitudes"):
        read_instance(tmp_path / "town.json", fleet=vans)


@pytest.mark.parametrize(
    "speed", ["Geschwindigkeit (km/h)", "km/h", "Ø Geschwindigkeit", "Velocità"]
)
def test_speeds_in_kilometres_an_hour_or_no_unit(day, speed):
    assert day("Gewicht", "Max. Gewicht", speed).speeds.tolist() == [10]


@pytest.mark.parametrize("word", ["Max. Gewicht (kg)", "Portata", "Charge utile [kg]"])
def test_more_words_for_capacity(word):
    assert csv.parse_fleet(csv.load(f"{word}\n100\n")) == (Vehicle(100),)


# Rows that add up the others ----------------------------------------------------------------------


@pytest.mark.parametrize("word", ["Summe", "TOTAL:", "Gesamt", "Somme", "suma", "Totale", "Ø Mean"])
def test_a_row_of_totals_is_no_vehicle(word):
    told = (
        f"line 4 ({word}) looks like a total of the other rows: take the row out, or give it"
        " another name if it is a vehicle (columns taken: "
    )
    text = f"Fahrzeug;Nutzlast (kg);km/h;Anzahl\nv1;100;30;1\nv2;100;30;2\n{word};200;60;3\n"
    assert refusal(text, csv.parse_fleet).startswith(told)
    assert refusal(f"Typ;Nutzlast\nvan;9\nvan;9\n{word};18\n", csv.parse_fleet).startswith(told)
    assert refusal(f"Fahrzeug;Nutzlast\na;9\nb;8\n{word};\n", csv.parse_fleet).startswith(told)


@pytest.mark.parametrize(
    "text",
    [
        "name,capacity,count\na,100,1\nb,150,2\nFleet,250,3\n",
        "name,capacity,count\na,100,\nb,150,2\nFleet,400,3\n",
        "name,capacity,speed,count\na,100,30,1\nb,150,30,2\n,250,,3\n",
        "name,capacity\na,100\nb,150\n,250\n",
        "capacity,count\n100,1\n150,2\n250,3\n",
    ],
)
def test_a_last_row_that_adds_up_the_others_is_no_vehicle(text):
    sentence = refusal(text, csv.parse_fleet)
    assert sentence.startswith("line 4 (")
    assert sentence.endswith(
        " has the figures of the rows above it added up: take the row out if it is a total, or put"
        " it first if it is a vehicle"
    )


@pytest.mark.parametrize(
    ("text", "capacities"),
    [
        ("capacity\n100\n150\n250\n", [100, 150, 250]),
        ("name,capacity\na,100\nb,150\nc,250\n", [100, 150, 250]),
        ("name,capacity,count\na,100,1\nb,150,1\nc,250,1\n", [100, 150, 250]),
        ("name,capacity,count\nc,250,2\na,100,1\nb,150,1\n", [250, 250, 100, 150]),
        ("name,capacity,count\na,100,1\nb,100,1\n", [100, 100]),
    ],
)
def test_vehicles_that_add_up_by_chance_are_kept(text, capacities):
    assert [v.capacity for v in csv.parse_fleet(csv.load(text))] == capacities


# Which column is the name -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    [
        *("Firma", "Company", "Société", "Raison sociale", "Empresa", "Razón social"),
        *("Kunde", "Bezeichnung"),
    ],
)
def test_a_customer_goes_by_the_firm_not_by_the_town(word):
    text = (
        f"Kundennummer;{word};Straße;PLZ;Ort;Adresse;id;lat;lon;Menge\n"
        "0;Lager;;;München;;0;48,1;11,5;\n1;Bäcker;;;München;;1;48,2;11,6;5\n"
    )
    assert csv.parse_customers(csv.load(text), VANS).customer_names == ("Bäcker",)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("Ort", ", or rename the column that does to 'name'"),
        ("address", ", or rename the column that does to 'name'"),
        ("Nr.", ", or rename the column that does to 'name'"),
        ("Firma", ""),
    ],
)
def test_names_of_towns_may_be_taken_from_another_column(word, hint):
    text = f"{word};x;y;Menge\nLager;0;0;\nM;1;0;1\nM;2;0;1\n"
    assert refusal(text) == (
        f"lines 3 and 4 have the same name (column '{word}'): 'M';"
        f" add something that tells them apart{hint}"
    )


# Columns of what hcvrp does not plan with ---------------------------------------------------------

UNPLANNED = (
    " not planned with: hcvrp knows no time windows, shifts, service times, pickups or priorities"
)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"earliest": ["", "8"], "latest": ["", "12"]}, "columns 'earliest', 'latest' are"),
        ({"Zeitfenster": ["", "vormittags"]}, "column 'Zeitfenster' is"),
        ({"von": ["", "8 Uhr"], "bis": ["", "12"]}, "columns 'von', 'bis' are"),
        ({"available from": ["", "9:30"]}, "column 'available from' is"),
        ({"open": ["", "8"], "close": ["", "17.5"]}, "columns 'open', 'close' are"),
        ({"Abholung": ["", "ja"]}, "column 'Abholung' is"),
        ({"pick-up": ["", "3"]}, "column 'pick-up' is"),
        ({"Fenêtre horaire": ["", "matin"]}, "column 'Fenêtre horaire' is"),
        ({"ventana": ["", "mañana"]}, "column 'ventana' is"),
        ({"service time (min)": ["", "10"]}, "column 'service time (min)' is"),
        ({"Standzeit": ["", "10"]}, "column 'Standzeit' is"),
        ({"priority": ["", "high"]}, "column 'priority' is"),
        ({"Hinweis": ["", "08:00"]}, "column 'Hinweis' is"),
        ({"when": ["", "8:00-12:00"]}, "column 'when' is"),
        ({"when": ["", "08:00 – 12:30 Uhr"]}, "column 'when' is"),
        ({"when": ["", "8-12 Uhr"]}, "column 'when' is"),
        ({"when": ["", "8.00-12.30"]}, "column 'when' is"),
        ({"when": ["", "9 am"]}, "column 'when' is"),
        ({"what": ["", "Abholung"]}, "column 'what' is"),
        ({"type": ["depot", "pickup"]}, "column 'type' is"),
    ],
)
def test_constraints_that_are_not_planned_with_are_told(tmp_path, columns, told):
    assert unused_of_customers(beside(tmp_path, columns)) == told + UNPLANNED


def beside(tmp_path, columns):
    """Two stops with other columns."""
    cells = zip(*columns.values(), strict=True)
    rows = [
        [*row, *more] for row, more in zip((["1", "2", "0"], ["1", "2", "3"]), cells, strict=True)
    ]
    text = "\n".join(map(";".join, [["x", "y", "demand", *columns], *rows]))
    return stops(tmp_path, text)


@pytest.mark.parametrize(
    "columns",
    [
        {"von": ["", "Müller"], "to": ["", "the back door"]},
        {"note": ["", "ab 6 Uhr läuten"]},
        {"created": ["", "2026-05-12 08:00"]},
        {"Regal": ["", "3-4"]},
        {"type": ["depot", "shop"]},
        {"window": ["", ""]},
        {"stops: window": ["", "8:00"]},
    ],
)
def test_columns_that_are_no_constraints(tmp_path, columns):
    assert unused_of_customers(beside(tmp_path, columns)) is None


def test_constraints_and_amounts_are_told_in_one_remark(tmp_path):
    columns = {"cost": ["", "5 €"], "bis": ["", "12:00"]}
    assert unused_of_customers(beside(tmp_path, columns)) == (
        f"column 'bis' is{UNPLANNED}; column 'cost' is not used;"
        " stops have: name, lat and lon (or x and y), demand"
    )


def test_shifts_of_vehicles_are_told(tmp_path):
    path = tmp_path / "vans.csv"
    path.write_text("name;capacity;speed;Schichtbeginn\nvan;9;30;08:00\n")
    assert unused_of_fleet(path) == f"column 'Schichtbeginn' is{UNPLANNED}"


# Unicode text -------------------------------------------------------------------------------------

UNICODE_TEXT = GERMAN.replace(";", "\t")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("text", [UNICODE_TEXT, GERMAN, f"Tour am Montag\r\n{UNICODE_TEXT}"])
def test_stops_as_text_with_tabs(tmp_path, encoding, text):
    path = tmp_path / "stops.txt"
    path.write_bytes(text.encode(encoding))
    assert read_instance(path, fleet=VANS) == TOWN


def test_fleets_and_plans_as_text_with_tabs(tmp_path):
    vans, plan = tmp_path / "vans.txt", tmp_path / "1.txt"
    vans.write_text("Kennzeichen\tNutzlast\tKosten je km\r\nM 1\t2.000,5\t2\r\n", "utf-16")
    fleet = [Vehicle(2000.5, name="M 1")]
    with pytest.raises(InputError, match="unknown column 'Kosten je km'"):
        parse_fleet(str(vans))
    vans.write_text(vans.read_text("utf-16").replace("\t2\n", "\t2 €\n"), "utf-16")
    assert parse_fleet(str(vans)) == fleet
    assert unused_of_fleet(vans).startswith("column 'Kosten je km' is not used")
    plan.write_text("vehicle\ttrip\torder\tcustomer\n1\t1\t1\t2\n1\t1\t2\t1\n", "utf-16")
    assert read_solution(plan, TOWN.with_vehicles(fleet)) == Solution([[(2, 1)]])


@pytest.mark.parametrize("head", ["NAME : a, weight", "NAME\t: name\tx", "COMMENT : x, y, demand"])
def test_a_vrplib_file_is_no_sheet(head):
    assert not is_sheet(f"{head}\nTYPE : CVRP\nNODE_COORD_SECTION\n1\t0\t0\n")


def test_what_is_no_text_is_not_printed(tmp_path):
    path = tmp_path / "stops.txt"
    path.write_bytes(b"PQ\x03\x04\x14\x00\x06 and so on")
    with pytest.raises(InputError) as caught:
        read_instance(path)
    assert str(caught.value) == f"{path}: the file is not text: a zero byte at position 5"
    path.write_bytes(b"PK\x1b\x07x")
    with pytest.raises(InputError) as caught:
        read_instance(path)
    assert str(caught.value) == f"{path}: line 1: unknown keyword 'PK X'"
