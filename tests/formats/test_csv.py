"""CSV as spreadsheets export it, and every way in which it is refused."""

import pytest

from hcvrp import InputError, Instance, Solution, Vehicle
from hcvrp.formats import csv, parse_fleet, read, read_instance, read_solution, write

VANS = [Vehicle(10), Vehicle(20)]


def customers(text, fleet=VANS):
    return csv.parse_customers(csv.load(text), fleet)


def vans(text):
    return csv.parse_fleet(csv.load(text))


@pytest.mark.parametrize(
    "text",
    [
        "name,x,y,demand\ndepot,0,0,\nA,3.5,4,1\nB,6,8,2.5\n",
        "Name;X;Y;Demand\r\nDEPOT;0;0;\r\nA;3,5;4;1\r\nB;6;8;2,5\r\n",
        "\ufeffname\tx\ty\tqty\n Depot \t0\t0\t0\n\nA\t3.5\t4\t1\n\t\t\t\nB\t6\t8\t2,5",
        "id,name,y,x,weight,phone\n1,depot,0,0,,\n2,A,4,3.5,1,555\n3,B,8,6,2.5,\n",
        "customer;type;x;y;amount\nA;;3,5;4;1\nhome;depot;0;0;0\nB;;6;8;2,5\n",
        'stop,x,y,quantity\n"home",0,0,0\n"A",3.5,4,1\n"B",6,8,2.5\n',
    ],
)
def test_the_same_customers_from_many_spreadsheets(tmp_path, text):
    path = tmp_path / "stops.csv"
    path.write_bytes(text.encode())
    expected = Instance(
        [1, 2.5], VANS, depot=(0, 0), customers=[(3.5, 4), (6, 8)], customer_names=["A", "B"]
    )
    assert read_instance(path, fleet=VANS) == expected


@pytest.mark.parametrize("header", ["lat,lon", "Latitude,Longitude", "LAT,lng", "latitude,long"])
def test_latitude_and_longitude_mean_great_circle_kilometres(header):
    instance = customers(f"{header},demand\n0,0,0\n0,1,5\n")
    assert instance.metric == "great-circle"
    assert instance.customer_names is None
    assert instance.distances[0, 1] == pytest.approx(111.195, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x,y\n0,0\n", "column demand is missing; the file has: x, y"),
        ("x,demand\n1,1\n", "column y is missing; the file has: x, demand"),
        ("lat,demand\n1,1\n", "column lon is missing; the file has: lat, demand"),
        ("x,y,lat,lon,demand\n", "give x and y or lat and lon, not both; the file has: x, y, lat"),
        ("x,y,x,demand\n", "column x is given twice"),
        ("x,y,qty,weight\n", "columns qty and weight both mean demand"),
        ("x,y,demand\n", "the file has a header but no rows"),
        ("x,y,demand\n0,0,0\n", "the instance has no customers"),
        ("x,y,demand\n0,0,0\n1,1,1,1\n", "line 3 has 4 cells, the header 3"),
        ("x,y,demand\n0,0,0\n1,1\n", "line 3: demand is empty"),
        ("x,y,demand\n0,0,0\n1,1,two\n", "line 3: demand is not a number: 'two'"),
        ("x,y,demand\n0,0,0\n1,inf,2\n", "line 3: y must be finite, not inf"),
        ("x,y,demand\n0,0,0\n1,1,-2\n", "line 3: demand of customer 1 is negative: -2"),
        ("x,y,demand\n0,0,0\n1,1,99\n", "line 3: no vehicle can carry customer 1: its demand is"),
        ("x,y,demand\n0,0,1\n1,1,2\n", 'the depot is missing: name its row "depot", or put it fi'),
        (
            "name,x,y,demand\na,0,0,1\ndepot,1,1,2\n",
            "line 3: demand of the depot must be empty or 0, not 2",
        ),
        ("name,x,y,demand\ndepot,0,0,\nDepot,1,1,2\n", "lines 2 and 3 are both the depot"),
        ("name,x,y,demand\ndepot,0,0,\na,1,1,2\n,2,2,2\n", "line 4: name is empty: name every cu"),
        (
            "name,x,y,demand\ndepot,0,0,\na,1,1,2\na,2,2,2\n",
            "lines 3 and 4 have the same name: 'a'; add",
        ),
        ('name,x,y,demand\n"a"b,0,0,1\n', "line 2: not CSV: "),
        ("\n \n", "the file is empty"),
        (
            "name,location,demand\na,Main Street 5,1\n",
            (
                "the file has no places: give columns lat and lon (degrees), or x and y; addresses"
                " are not looked up; the file has: name, location, demand"
            ),
        ),
        (
            "Depot,48.1,11.5\nA,48.2,11.6,4\n",
            (
                "the first line must name the columns, such as name, lat, lon, demand for stops or"
                " name, capacity, speed for vehicles; it is: Depot, 48.1, 11.5"
            ),
        ),
        ("Depot,Main Street 5,48.1,11.5,\n", "the first line must name the columns, such as"),
        ("0,0,0\n1,1,1\n", "the first line must name the columns, such as"),
        (
            "name,lat,lon,demand\ndepot,48104,11,\na,48,11,1\n",
            "line 2: latitude of the depot must lie within ±90, not 48104",
        ),
        (
            "name,lat,lon,demand\na,48,11,1\nb,48,181,1\ndepot,48,11,\n",
            "line 3: longitude of customer b must lie within ±180, not 181",
        ),
        (
            "name,x,y,demand\ndepot,0,0,\n\na,1,1,-60\n",
            "line 4: demand of customer a is negative: -60",
        ),
        ("x,y,demand\n0,0,0\n1,1e300,1\n", "line 3: y of customer 1 must lie within ±1e+16, not"),
        (
            "lat,lon,demand\n48,11,0\n48°12'30,11,1\n",
            (
                'line 3: lat is not a number: "48°12\'30"; degrees must be decimal, such as'
                " 48.2083, with a minus for south and west"
            ),
        ),
        ("lat,lon,demand\n48,11,0\n48,0.5 W,1\n", "line 3: lon is not a number: '0.5 W'; degrees"),
    ],
)
def test_customers_that_are_refused(text, expected):
    with pytest.raises(InputError) as caught:
        customers(text)
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize("demand", ["", "0"])
def test_a_row_named_depot_is_it_whatever_the_types_of_others(demand):
    text = f"name,art,x,y,demand\nshop,branch,3,4,{demand or 1}\nDepot,,0,0,{demand}\nB,,1,1,2\n"
    instance = customers(text)
    assert instance.customer_names == ("shop", "B")
    assert instance.coordinates[0].tolist() == [0, 0]


def test_a_type_wins_over_a_name():
    instance = customers("name,type,x,y,demand\nLager,,3,4,1\nhome,depot,0,0,\n")
    assert instance.customer_names == ("Lager",)


@pytest.mark.parametrize(
    ("rows", "more"),
    [
        ("60,5,6000\n", "1 more"),
        ("60,6000,5,70\n", "2 more"),
    ],
)
def test_how_many_more_no_vehicle_can_carry(rows, more):
    demands = rows.strip().split(",")
    text = "name,x,y,demand\ndepot,0,0,\n" + "".join(
        f"s{k},1,1,{demand}\n" for k, demand in enumerate(demands)
    )
    line = 3 + demands.index("6000")
    with pytest.raises(InputError) as caught:
        customers(text)
    assert str(caught.value) == (
        f"line {line}: no vehicle can carry customer s{line - 3}: its demand is 6000, the largest"
        f" capacity 20; so it is with {more}"
    )


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (
            "name,lat,lon,demnad",
            (
                "column demand is missing; the file has: name, lat, lon, demnad"
                " (did you mean demand by 'demnad'?)"
            ),
        ),
        (
            "name,lattitude,lon,demand",
            (
                "column lat is missing; the file has: name, lattitude, lon, demand"
                " (did you mean lat by 'lattitude'?)"
            ),
        ),
        (
            "name,lattitude,longtitude,demand",
            (
                "the file has no places: give columns lat and lon (degrees), or x and y; addresses"
                " are not looked up; the file has: name, lattitude, longtitude, demand"
                " (did you mean lat by 'lattitude' and lon by 'longtitude'?)"
            ),
        ),
    ],
)
def test_what_a_misspelt_column_may_mean(header, sentence):
    with pytest.raises(InputError) as caught:
        customers(f"{header}\nDepot,48.13,11.59,\nA,48.12,11.58,6\n")
    assert str(caught.value) == sentence


def test_customers_without_a_fleet_show_how_to_give_one(tmp_path):
    path = tmp_path / "stops.csv"
    path.write_text("x,y,demand\n0,0,0\n1,1,1\n")
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: a list of customers needs a fleet: give one, such as --fleet vans.csv or"
        " --fleet 20,25,30 on the command line, or fleet=[20, 25, 30] in Python"
    )


def test_a_fleet():
    text = "\ufeffVan;Capacity;Speed;Count\nbike;10;0,5;2\ntruck;200;1;\n;30;1;1\n".lstrip("\ufeff")
    assert vans(text) == (
        Vehicle(10, 0.5, "bike 1"),
        Vehicle(10, 0.5, "bike 2"),
        Vehicle(200, 1, "truck"),
        Vehicle(30),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("capacity,spede\n10,2\n", "unknown column 'spede'; a fleet has: name, capacity, speed,"),
        ("name,speed\na,2\n", "column capacity is missing; the file has: name, speed"),
        ("name,capacity\n", "the file has a header but no rows"),
        ("name,capacity\na,\n", "line 2: capacity is empty"),
        ("capacity,speed\n9,30\n8,\n", "line 3: speed is empty: give every vehicle a speed or n"),
        ("name,capacity\na,-1\n", "line 2: vehicle capacity must be positive, not -1"),
        (
            "capacity,count\n10,0\n",
            "line 2: count is 0: delete the row of a vehicle that is not there",
        ),
        ("capacity,count\n10,999999\n", "a fleet has at most 10000 vehicles, not 999999"),
        ("capacity,count\n10,many\n", "line 2: count is not a number: 'many'"),
        ("capacity\n1e308\n", "line 2: vehicle capacity must lie between 1e-09 and 1e+16, not 1e+"),
        (
            "Bike,90,15\nVan,800,30\n",
            (
                "the first line must name the columns, such as name, lat, lon, demand for stops or"
                " name, capacity, speed for vehicles; it is: Bike, 90, 15"
            ),
        ),
    ],
)
def test_fleets_that_are_refused(text, expected):
    with pytest.raises(InputError) as caught:
        vans(text)
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "name,foo,speed\na,1,2\n",
            (
                "column capacity is missing; the file has: name, foo, speed (call the right one"
                " capacity)"
            ),
        ),
        (
            "name,lat,lon,qty\ndepot,48,11,\na,48.1,11,2\n",
            (
                "the file looks like a list of customers, not a fleet: give the stops first and the"
                " vehicles after --fleet, such as stops.csv --fleet vans.csv"
            ),
        ),
        ("vehicle,trip,order,customer\n1,1,1,1\n", "the file holds a solution, not a fleet"),
    ],
)
def test_a_file_named_as_a_fleet_is_judged_as_a_fleet(tmp_path, text, expected):
    path = tmp_path / "vans.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        parse_fleet(str(path))
    assert str(caught.value) == f"{path}: {expected}"


@pytest.mark.parametrize("word", ["Max. weight (kg)", "Max zuladung", "Poids max.", "Peso máximo"])
def test_a_weight_that_is_a_limit_is_a_capacity(word):
    assert vans(f"name,{word},speed\nvan,800,30\n") == (Vehicle(800, 30, "van"),)


def test_places_and_demands_are_customers_whatever_else_there_is(tmp_path):
    path = tmp_path / "stops.csv"
    path.write_text("x,y,demand,max weight\n0,0,,\n3,4,1,3500\n")
    assert read_instance(path, fleet=VANS).demands.tolist() == [1]


LINE = Instance(
    [2, 3, 4],
    [Vehicle(5, 2, "fast"), Vehicle(9)],
    depot=(0, 0),
    customers=[(1, 0), (3, 0), (-5, 0)],
    customer_names=["A", "B", "C"],
)


def test_a_solution_stop_by_stop(tmp_path):
    path = tmp_path / "plan.csv"
    write(path, Solution([[[1, 2], [3]], []]), instance=LINE)
    assert path.read_bytes().decode().split("\r\n") == [
        "vehicle,vehicle name,trip,order,customer,customer name,demand,load,arrival",
        "1,fast,1,1,1,A,2,3,0.5",
        "1,fast,1,2,2,B,3,0,1.5",
        "1,fast,1,3,0,depot,0,0,3",
        "1,fast,2,1,3,C,4,0,5.5",
        "1,fast,2,2,0,depot,0,0,8",
        "",
    ]
    assert read_solution(path, LINE) == Solution([[[1, 2], [3]], []])


def test_rows_of_a_solution_may_be_sorted_otherwise():
    text = "trip,order,vehicle,customer\n2,1,1,3\n1,2,1,2\n1,1,1,1\n"
    answer = csv.parse_solution(csv.load(text))
    assert answer.solution(LINE) == Solution([[[1, 2], [3]], []])


def test_a_trip_goes_by_its_number_in_the_file_and_the_line_of_its_first_stop():
    text = "trip,order,vehicle,customer\n7,2,1,2\n3,1,1,1\n7,1,1,3\n7,9,1,0\n4,1,2,1\n"
    answer = csv.parse_solution(csv.load(text))
    assert answer.judged(LINE) == (
        Solution([[[1], [3, 2]], [[1]]]),
        [
            "line 4: trip 7 of fast carries 7, more than its capacity of 5",
            "customer A is visited 2 times instead of once",
        ],
    )


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("1,1,1,x", "line 2: customer is not a number: 'x'"),
        ("1,1,1,", "line 2: customer is empty"),
        ("0,1,1,1", "line 2: vehicle must be a whole number of at least 1, not 0"),
        ("1,1,1,1\n1,1,1,2", "line 3: order 1 is given twice in one trip"),
        ("3,1,1,1", "the solution has routes for 3 vehicles, the instance has 2"),
        ("1,1,1,4", "the solution visits customer 4, the instance has customers 1 to 3"),
    ],
)
def test_solutions_that_are_refused(tmp_path, rows, expected):
    path = tmp_path / "plan.csv"
    path.write_text(f"vehicle,trip,order,customer\n{rows}\n")
    with pytest.raises(InputError) as caught:
        read_solution(path, LINE)
    assert str(caught.value) == f"{path}: {expected}"


PLAN = (
    "vehicle,vehicle name,trip,order,customer,customer name\n"
    "1,fast,1,1,1,A\n1,fast,1,2,2,B\n1,fast,1,3,0,depot\n"
    "2,vehicle 2,1,1,3,C\n2,vehicle 2,1,2,0,depot\n"
)


def edited(*changes):
    """The solution of the plan after changes by hand."""
    text = PLAN
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return csv.parse_solution(csv.load(text)).solution(LINE)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("2,B", "2,Nobody"), "line 3: customer 2 is 'B', not 'Nobody'"),
        (("2,B", "2,C"), "line 3: customer 2 is 'B', not 'C' (customer 3)"),
        (("2,B", "3,B"), "line 3: customer 3 is 'C', not 'B' (customer 2)"),
        (("2,vehicle 2,1,1", "1,vehicle 2,2,1"), "line 5: vehicle 1 is 'fast', not 'vehicle 2'"),
    ],
)
def test_names_that_contradict_their_numbers_are_refused(change, expected):
    with pytest.raises(InputError) as caught:
        edited(change)
    assert str(caught.value) == (
        f"{expected}: mend the number or the name, or empty the cell of the name"
    )


def test_a_stop_is_moved_by_hand():
    both = Solution([[[1]], [[3, 2]]])
    assert edited(("1,fast,1,2,2,B", "2,vehicle 2,1,2,2,B")) == both  # the order of the return
    assert edited(("1,fast,1,2,2,B", "2,,1,2,2,")) == both
    assert edited(("1,fast,1,2,2,B", "2,fast,1,2,2,B")) == both  # vehicle 2 has no name
    everything = edited(("2,vehicle 2,1,1,3,C", "1,fast,1,3,3,C"))
    assert everything == Solution([[[1, 2, 3]], []])  # of the other trip only the return is left
    assert everything.violations(LINE) == ["trip 1 of fast carries 9, more than its capacity of 5"]


def test_names_that_a_spreadsheet_has_touched_are_the_same():
    numbered = Instance(
        [1, 1],
        [Vehicle(5, 1, "007")],
        depot=(0, 0),
        customers=[(1, 0), (2, 0)],
        customer_names=["0", "two  words"],
    )
    text = PLAN.split("\n")[0] + "\n1,7,1,1,1,0\n1,007,1,2,2,two words \n"
    answer = csv.parse_solution(csv.load(text))
    assert answer.solution(numbered) == Solution([[[1, 2]]])


def test_arrivals_and_loads_are_written_to_six_figures(tmp_path):
    thirds = Instance(
        [0.1, 0.2, 0.3], [Vehicle(1, 3)], depot=(0, 0), customers=[(1, 0), (2, 0), (7e6, 0)]
    )
    path = tmp_path / "plan.csv"
    write(path, Solution([[[3, 2, 1]]]), instance=thirds)
    assert [line.split(",")[6:] for line in path.read_text().splitlines()[1:]] == [
        ["0.3", "0.3", "2333333"],
        ["0.2", "0.1", "4666666"],
        ["0.1", "0", "4666666"],
        ["0", "0", "4666667"],
    ]
    write(path, Solution([[[1], [2], [3]]]), instance=thirds)
    assert path.read_text().splitlines()[1] == "1,vehicle 1,1,1,1,1,0.1,0,0.333333"
    assert read_solution(path, thirds) == Solution([[[1], [2], [3]]])


def test_a_solution_needs_its_instance(tmp_path):
    path = tmp_path / "plan.csv"
    write(path, Solution([[[1, 2], [3]], []]), instance=LINE)
    with pytest.raises(InputError, match="read it together with its instance"):
        read(path)


def test_what_a_list_of_customers_cannot_hold():
    with pytest.raises(InputError, match="holds coordinates, not a distance matrix"):
        csv.format_customers(Instance([1], [2], distances=[[0, 1], [1, 0]]))
    blank = Instance([1], [2], depot=(0, 0), customers=[(1, 1)], customer_names=[" "])
    with pytest.raises(InputError, match="a customer whose name is blank cannot be kept"):
        csv.format_customers(blank)
