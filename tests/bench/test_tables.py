"""Cells of the tables, worked out by hand on a few fabricated rows."""

import csv
import io

import pytest

from hcvrp.bench.archive import Best, write_best
from hcvrp.bench.results import load
from hcvrp.bench.tables import make_table
from hcvrp.errors import InputError


@pytest.fixture
def measured(make_row, write_results):
    rows = [
        make_row("sisr", 0, 4.0, seconds=1.0),
        make_row("sisr", 1, 5.0, seconds=1.0),
        make_row("vns", 0, 4.4, seconds=0.25),
        make_row("vns", 1, 5.0, seconds=0.25),
        make_row("vns", 2, 6.0, seconds=0.25),
        make_row("exact", 0, 4.1, bound=3.2),
        make_row("aco", 0, None, message="out of ants"),
        make_row("sisr", 0, 60.0, "min-sum"),
    ]
    return load([write_results(rows)])


@pytest.fixture
def archive(tmp_path):
    """The best known of three instances: 4, 4 and 5."""
    folder = tmp_path / "best-known"
    costs = {0: 4.0, 1: 4.0, 2: 5.0}
    write_best(folder, "v3-c40", "min-max", {k: Best(c, "") for k, c in costs.items()})
    return folder


def cells(table, head):
    """The cells of the first Markdown row that begins with `head`."""
    line = next(x for x in table.markdown.splitlines() if x.startswith(f"| {head} |"))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def rows_after(table, words):
    """The Markdown table after the sentence with these words, as rows of cells."""
    lines = table.markdown.partition(words)[2].partition("\n\n")[2].partition("\n\n")[0]
    return [[c.strip() for c in x.split("|")[1:-1]] for x in lines.splitlines()[2:]]


def test_means_gaps_times_and_counts(measured, archive):
    table = make_table("v3", measured, archive)
    assert cells(table, "sisr") == ["4.500 (+12.50 %, 1 s, n=2, A)"]
    assert cells(table, "vns") == ["5.133 (+17.50 %, 0.25 s, n=3, A)"]  # the gap where sisr was too
    assert cells(table, "exact") == ["4.100 (+2.50 %, 0.5 s, n=1, A)"]
    assert cells(table, "*SISR, published*") == ["4.00 (245 s)"]
    assert cells(table, "*DRL(Sample12800), published*") == ["4.14 (1.64 s)"]
    assert "### min-sum" in table.markdown
    assert "| *Exact-solver, published* | 55.43 (71 s) |" in table.markdown


def test_the_row_of_ours_stands_below_the_published_one(measured, archive):
    lines = make_table("v3", measured, archive).markdown.splitlines()
    heads = [line.split(" | ")[0] for line in lines]
    assert heads.index("| vns") == heads.index("| *VNS, published*") + 1


def test_pairs_on_the_common_subset_with_an_interval(measured, archive):
    table = make_table("v3", measured, archive)
    # vns against sisr: +10 % and 0 %, s = 7.0711 %, t = 12.7062: 5 % ± 63.53 %
    assert rows_after(table, "Cost against that of sisr") == [
        ["exact", "+2.50 % [-inf %, +inf %] (n=1)"],
        ["vns", "+5.00 % [-58.53 %, +68.53 %] (n=2)"],
    ]
    other = make_table("v3", measured, archive, reference="vns")
    found = dict(rows_after(other, "Cost against that of vns"))
    assert found["sisr"].startswith("-4.55 % [")  # 4 / 4.4 − 1 = −9.09 %, and 0


def test_gaps_to_proven_bounds(measured, archive):
    found = rows_after(make_table("v3", measured, archive), "proven lower bound")
    assert found == [
        ["exact", "+28.12 % (n=1)"],
        ["sisr", "+25.00 % (n=1)"],
        ["vns", "+37.50 % (n=1)"],
    ]


def test_failures_and_origin_are_told(measured, archive):
    text = make_table("v3", measured, archive).markdown
    assert "aco has no answer in 1 cases, the first time because: out of ants." in text
    assert text.endswith(
        "\n\nMeasured, by date and commit:\n\n- A: a processor, 2 cores: 2026-01-02 at abc123\n"
    )


def test_answers_of_earlier_networks_are_told(make_row, write_results, tmp_path, monkeypatch):
    labels = ["fleet", "fleet 8", "auto 1 s", "sisr", "paper"]
    measured = load([write_results([make_row(label, 0, 4.0) for label in labels])])
    then = {"fleet": "1", "paper-v3-c40-min-max": "1"}
    for session in measured.sessions.values():
        session.weights.update(then)

    def last_line(now):
        monkeypatch.setattr("hcvrp.bench.tables.shipped_weights", lambda: then | now)
        return make_table("v3", measured, tmp_path).markdown.splitlines()[-1]

    told = "Networks of earlier training, not the shipped ones: auto 1 s; fleet; fleet 8."
    assert last_line({"fleet": "2"}) == told
    assert (
        last_line({"am-v3-c40-min-max": "1"}) == "- A: a processor, 2 cores: 2026-01-02 at abc123"
    )


def test_the_csv_has_the_same_numbers_in_full(measured, archive):
    table = make_table("v3", measured, archive)
    rows = {(r["label"], r["objective"]): r for r in csv.DictReader(io.StringIO(table.csv))}
    vns = rows["vns", "min-max"]
    assert float(vns["cost"]) == pytest.approx(15.4 / 3)
    assert float(vns["best_gap"]) == pytest.approx((0.1 + 0.25) / 2)
    assert float(vns["difference_high"]) == pytest.approx(0.05 + 0.63531, rel=1e-5)
    assert (vns["instances"], vns["paired"], vns["reference"]) == ("3", "2", "sisr")


@pytest.mark.parametrize(
    ("objective", "cost", "seconds", "end"),
    [
        ("min-max", 3.94, 1.0, ["4.00", "1 s", "-1.50 %", "met"]),
        ("min-max", 3.94, 1.5, ["4.00", "1.5 s", "-1.50 %", "missed: over 1.05 s"]),
        ("min-max", 4.1, 1.0, ["4.00", "1 s", "+2.50 %", "missed by 2.50 %"]),
        ("min-sum", 55.5, 1.0, ["55.43", "1 s", "+0.13 %", "met"]),
        ("min-sum", 55.9, 1.0, ["55.43", "1 s", "+0.85 %", "missed by 0.55 %"]),
    ],
)
def test_the_goal_is_judged_on_the_whole_set(
    make_row, write_results, tmp_path, objective, cost, seconds, end
):
    rows = [make_row("auto 0.1 s", k, cost, objective, seconds=seconds) for k in range(1280)]
    table = make_table("v3", load([write_results(rows)]), tmp_path)
    found = rows_after(table, "Goal: auto")
    assert found == [["v3-c40", "auto 0.1 s", f"{cost:.3f}", "1280", *end]]


def test_a_subset_is_brought_to_the_whole_set_by_the_best_method_on_it(
    make_row, write_results, tmp_path
):
    # savings: 4 and 8 in turns, 6 on average; auto has the first two, 0.5 and 0.75 of that: 7 / 12
    rows = [make_row("savings", k, 4.0 + 4 * (k % 2)) for k in range(1280)]
    rows += [make_row("worse", k, 9.0) for k in range(1280)]
    rows += [make_row("auto 1 s", 0, 2.0), make_row("auto 1 s", 1, 5.0)]
    table = make_table("v3", load([write_results(rows)]), tmp_path)
    (found,) = rows_after(table, "Goal: auto")
    # errors −1/3 and 1/3: s = 0.4714, t = 12.7062, √(1278 / 1280 / 2): 4.232
    assert found == ["v3-c40", "auto 1 s", "3.500 ± 4.232", "2", "4.00", "0.5 s", "-12.50 %", "met"]
    headline = make_table("headline", load([write_results(rows, "2.csv")]), tmp_path)
    assert cells(headline, "V3-C40 min-max") == [
        "–",
        "4.00 in 245 s",
        "4.14 in 1.64 s",
        "~3.50 (-12.50 %)",
    ]


def test_a_subset_alone_says_nothing_about_the_goal(make_row, write_results, tmp_path):
    path = write_results([make_row("auto", 0, 3.0)])
    found = rows_after(make_table("v3", load([path]), tmp_path), "Goal: auto")
    assert found[0][-1] == "cannot be said from a subset"


def test_a_best_known_that_only_a_short_search_has_found_counts_for_no_gap(
    make_row, write_results, tmp_path
):
    rows = [make_row("sisr 10k", k, 5.0) for k in range(10)] + [make_row("auto 1 s", 0, 4.0)]
    table = make_table("v3", load([write_results(rows)]), tmp_path)
    assert cells(table, "sisr 10k") == ["5.000 (+25.00 %, 0.5 s, n=10, A)"]


def test_bounds_of_the_archive_count_too(make_row, write_results, tmp_path):
    write_best(tmp_path, "v3-c40", "min-max", {0: Best(4.0, "", 3.2)})
    table = make_table("v3", load([write_results([make_row("sisr", 0, 4.0)])]), tmp_path)
    assert rows_after(table, "proven lower bound") == [["sisr", "+25.00 % (n=1)"]]


def test_methods_side_by_side(make_row, write_results, tmp_path):
    rows = [
        make_row("sisr 1 s", 0, 4.0),
        make_row("pyvrp 1 s", 0, 5.0),
        make_row("vroom 1 s", 0, 60.0, "min-sum"),
    ]
    table = make_table("side-by-side", load([write_results(rows)]), tmp_path)
    head = ["1", "5.000 (+25.00 %)", "**4.000** (+0.00 %)", "–"]
    assert cells(table, "min-max, v3-c40") == head
    assert cells(table, "min-sum, v3-c40") == ["1", "–", "–", "**60.000** (+0.00 %)"]


def test_means_over_other_instances_are_not_compared(make_row, write_results, tmp_path):
    rows = [make_row("a", 0, 1.0), make_row("b", 0, 0.9), make_row("b", 1, 9.0)]
    table = make_table("side-by-side", load([write_results(rows)]), tmp_path)
    found = cells(table, "min-max, v3-c40")
    assert found[0] == "1 to 2"
    assert [cell.partition(" ")[0] for cell in found[1:]] == ["1.000", "4.950"]
    assert [cell[-7:] for cell in found[1:]] == [", n = 1)"[-7:], ", n = 2)"[-7:]]


def test_the_frontier_is_over_the_instances_that_all_have(make_row, write_results, tmp_path):
    rows = [
        make_row("sisr 1 s", 0, 4.0, seconds=1.0),
        make_row("sisr 1 s", 1, 9.0, seconds=1.0),
        make_row("sisr 0.1 s", 0, 4.4, seconds=0.1),
        make_row("auto 10 s", 0, 3.9, seconds=10.0),
        make_row("sisr 0.1 s", 1, 9.9, seconds=0.1),
        make_row("sisr 0.1 s", 7, 100.0, set_="v5-c160", seconds=0.3),
        make_row("vns", 0, 5.0, "min-sum", set_="v3-c60"),  # no set of the frontier
    ]
    table = make_table("frontier", load([write_results(rows)]), tmp_path)
    found = rows_after(table, "### min-max")
    assert found == [
        ["auto 10 s", "3.900 (+0.00 %, 10 s, n=1, A)", "–"],
        ["sisr 0.1 s", "4.400 (+12.82 %, 0.1 s, n=1, A)", "100.000 (+0.00 %, 0.3 s, n=1, A)"],
        ["sisr 1 s", "4.000 (+2.56 %, 1 s, n=1, A)", "–"],
    ]
    assert "### min-sum" not in table.markdown
    lines = list(csv.DictReader(io.StringIO(table.csv)))
    assert [(x["set"], x["label"], x["cost"], x["seconds"]) for x in lines] == [
        ("v3-c40", "auto 10 s", "3.9", "10.0"),
        ("v3-c40", "sisr 0.1 s", "4.4", "0.1"),
        ("v3-c40", "sisr 1 s", "4.0", "1.0"),
        ("v5-c160", "sisr 0.1 s", "100.0", "0.3"),
    ]


def test_auto_is_held_against_the_search_with_the_same_limit(make_row, write_results, tmp_path):
    rows = [
        *(make_row("sisr 1 s", k, cost) for k, cost in enumerate((4.0, 5.0, 6.0))),
        *(make_row("auto 1 s", k, cost) for k, cost in enumerate((3.9, 5.0))),
        *(make_row("auto 1 s, batch", k, cost) for k, cost in enumerate((3.8, 4.75))),
        *(make_row("sisr 1 s, batch", k, cost) for k, cost in enumerate((4.75, 5.0))),
        make_row("auto 10 s", 0, 3.9),
        make_row("auto 10 s", 1, 3.9),  # nobody has searched alone as long
    ]
    table = make_table("frontier", load([write_results(rows)]), tmp_path)
    found = rows_after(table, "auto against sisr with the same time limit")
    # −2.5 % and 0 %; with a batch of the search alone on that machine −20 % and −5 %
    assert found == [
        ["auto 1 s", "-1.25 % [-17.13 %, +14.63 %] (n=2)"],
        ["auto 1 s, batch", "-12.50 % [-107.80 %, +82.80 %] (n=2)"],
    ]


def test_labels_without_a_common_instance_have_no_table(make_row, write_results, tmp_path):
    rows = [make_row("sisr", 0, 4.0), make_row("vns", 1, 5.0)]
    with pytest.raises(InputError, match="no instance of the frontier has answers of all labels"):
        make_table("frontier", load([write_results(rows)]), tmp_path)


def test_cvrplib_is_said_to_be_inferred(make_row, write_results, tmp_path):
    rows = [
        make_row("sisr", 0, 290.0, set_="cvrplib", instance="P-n60-k10", seed=1),
        make_row("sisr", 0, 292.0, set_="cvrplib", instance="P-n60-k10", seed=2),
        make_row("exact", 0, 280.0, set_="cvrplib", instance="P-n60-k10", bound=280.0),
    ]
    table = make_table("cvrplib", load([write_results(rows)]), tmp_path)
    assert "**inferred**" in table.markdown
    optimal = "280.00 (280.00 of 1, 0.5 s, optimal)"
    searched = "291.00 (290.00 of 2, 0.5 s, +3.93 % to bound)"
    assert cells(table, "P-n60-k10") == ["–", "293", "308", "306", optimal, searched]


def test_fsmd_against_the_optima(make_row, write_results, tmp_path):
    row = make_row("sisr", 3, 419.18, "min-sum", set_="fsmd", instance="Taillard_06")
    table = make_table("fsmd", load([write_results([row])]), tmp_path)
    assert cells(table, "Taillard_06") == ["415.03*", "419.18 (+1.00 %, 0.5 s)"]


def test_an_unknown_or_empty_table_gets_a_sentence(measured, archive):
    with pytest.raises(
        InputError, match="unknown table 'v4'; known: headline, v3, v5, cvrplib, fsmd"
    ):
        make_table("v4", measured, archive)
    with pytest.raises(
        InputError, match="table v3: the results have no answers of the reference x"
    ):
        make_table("v3", measured, archive, reference="x")
    with pytest.raises(InputError, match="table v5: the results have no answers on v5-c80"):
        make_table("v5", measured, archive)


def test_proofs_are_counted_and_gaps_are_to_the_cost(make_row, write_results, tmp_path):
    limit = {"settings": '{"method": "exact", "time_limit": 30.0}'}
    rows = [
        make_row("exact", 0, 4.0, bound=4.0, status="optimal", seconds=2.0, **limit),
        make_row("exact", 1, 5.0, bound=4.9, seconds=30.0, **limit),
        make_row("sisr", 0, 4.5),
        make_row("exact", 0, 60.0, "min-sum", set_="fsmd", bound=57.0, seconds=200.0),
    ]
    table = make_table("proofs", load([write_results(rows)]), tmp_path)
    proven = ["30 s", "2", "1", "1.00 %", "2.00 %", "4.5000", "16 s", "30 s"]
    assert cells(table, "min-max, v3-c40") == proven
    unlimited = ["inf s", "1", "0", "5.00 %", "5.00 %", "60.0000", "200 s", "200 s"]
    assert cells(table, "min-sum, fsmd") == unlimited


def test_proofs_need_bounds(make_row, write_results, tmp_path):
    with pytest.raises(InputError, match="no answers with a bound"):
        make_table("proofs", load([write_results([make_row("sisr", 0, 4.5)])]), tmp_path)
