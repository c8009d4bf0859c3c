"""Plans and days that are come back to: after a reload, in a second window, after an outage."""

import json
import re

import pytest
from planner import STOPS, choose, column, figure, paste, state, wait_for_state

expect = pytest.importorskip("playwright.sync_api", reason="see make test-browser").expect
expect.set_options(timeout=60_000)
pytestmark = pytest.mark.browser


def progress(page, run=0):
    return page.locator(".run").nth(run).locator("progress").evaluate("bar => bar.value")


def reloaded(page):
    page.reload()
    page.wait_for_selector("#demo option:nth-child(2)", state="attached")


def test_a_running_plan_is_shown_again(page):
    page.select_option("#demo", "town-200")
    choose(page, 600)
    page.click("#start")
    page.wait_for_selector(".run .trip")
    reloaded(page)
    page.click("#jobs tbody tr:first-child [data-job]")
    page.wait_for_selector(".run .trip")
    assert state(page) == "running"
    assert 0 <= progress(page) < 0.5
    assert figure(page, "Last vehicle back") > 0
    assert page.locator("#notice").is_hidden()
    page.click(".halt")
    wait_for_state(page, "cancelled")


def test_a_plan_that_is_being_proven_is_compared(page):
    page.select_option("#demo", "munich")
    choose(page, 1, objective="min-sum", certify=600)
    page.click("#start")
    wait_for_state(page, "proving")
    page.click(".run .close")
    page.select_option("#demo", "munich")
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    page.click("#jobs tbody tr:nth-child(2) [data-job]")
    wait_for_state(page, "proving", run=1)
    expect(page.locator(".run").nth(1).locator(".trip").first).to_be_attached()
    assert 0 <= progress(page, run=1) < 0.5
    page.locator(".halt").nth(1).click()
    wait_for_state(page, "done", run=1)


def test_a_notice_is_in_view_wherever_one_is(page):
    page.set_viewport_size({"width": 1400, "height": 500})
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert page.evaluate("scrollY") > 100
    page.click("#paste")
    page.fill("#paste-text", "no table")
    page.click("#paste-dialog button[value=take]")
    expect(page.locator("#notice")).to_be_in_viewport(ratio=1)


def test_a_day_outlives_a_reload_as_it_was_edited(page):
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    page.click("#stops-details summary")
    page.fill("#stops [data-row='2'][data-key=demand]", "3,5")
    page.press("#stops [data-row='2'][data-key=demand]", "Tab")
    page.fill("#fleet [data-row='1'][data-key=name]", "tanker")
    page.press("#fleet [data-row='1'][data-key=name]", "Tab")
    reloaded(page)
    expect(page.locator("#day .stop")).to_have_count(3)
    assert page.locator("#stops-summary").inner_text() == "3 stops, demand 9.5 in all."
    assert column(page, "#fleet", "name") == ["small van", "tanker"]
    page.select_option("#demo", "munich")  # the untouched speed is still a guess
    expect(page.locator("#day .stop")).to_have_count(40)
    page.click("#undo")
    expect(page.locator("#day .stop")).to_have_count(3)
    page.click("#stops-details summary")
    page.click("#clear")
    reloaded(page)
    assert page.locator("#stops-summary").inner_text() == "None yet."


@pytest.mark.parametrize(
    "obstacle",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })",
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }",
        "localStorage.setItem('hcvrp-day', '{\"version\": 1, \"state\": {}}')",
        "localStorage.setItem('hcvrp-day', '[')",
    ],
)
def test_the_page_works_whatever_the_browser_keeps(page, obstacle):
    page.add_init_script(obstacle)
    reloaded(page)
    assert page.locator("#stops-summary").inner_text() == "None yet."
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    reloaded(page)
    assert page.locator("#stops-summary").inner_text() == "None yet."
    assert page.locator("#notice").is_hidden()


def test_the_day_of_an_earlier_plan_is_edited(page):
    paste(page, STOPS)
    expect(page.locator("#day .stop")).to_have_count(3)
    page.fill("[data-row='0'][data-key=capacity]", "9")
    page.fill("[data-row='0'][data-key=count]", "1")
    page.click("[data-remove='1']")
    choose(page, 1, method="savings")
    page.click("#start")
    wait_for_state(page, "done")
    page.select_option("#demo", "munich")
    expect(page.locator("#day .stop")).to_have_count(40)
    page.click("#jobs tbody tr:first-child [data-job]")
    page.click(".run .edit")
    expect(page.locator("#day .stop")).to_have_count(3)
    assert page.locator(".run").count() == 0
    assert column(page, "#fleet", "name") == ["small van"]
    assert column(page, "#fleet", "capacity") == ["9"]
    page.click("#stops-details summary")
    page.fill("#stops [data-row='1'][data-key=x]", "5")
    page.press("#stops [data-row='1'][data-key=x]", "Tab")
    page.click("#start")
    wait_for_state(page, "done")
    # From 3 + 5 + √52 + 6 = 21.21, with the stop two further out: 5 + √41 + √52 + 6.
    assert figure(page, "Last vehicle back") == 24.61
    page.click("text=Back to the stops")
    assert column(page, "#stops", "demand") == ["", "2", "3", "4"]


def test_a_day_of_distances_is_edited_again(page, url):
    day = {
        "format": "hcvrp-instance", "version": 1, "distances": [[0, 1, 2], [1, 0, 1], [2, 1, 0]],
        "customers": [{"demand": 1}, {"demand": 1}], "vehicles": [{"capacity": 2}],
    }  # fmt: skip
    body = {"instance": day, "method": "savings", "time_limit": 1}
    assert page.request.post(f"{url}/v1/jobs", data=body).status == 202
    reloaded(page)
    page.click("#jobs tbody tr:first-child [data-job]")
    page.click(".run .edit")
    expect(page.locator("#day .stop")).to_have_count(2)
    reloaded(page)
    expect(page.locator("#day .stop")).to_have_count(2)
    assert page.locator("#stops-summary").inner_text() == "2 stops, demand 2 in all."


def test_an_outage_is_told_while_it_lasts(frail):
    page, server = frail
    page.select_option("#demo", "town-200")
    choose(page, 600)
    page.click("#start")
    page.wait_for_selector(".run .trip")
    said = page.locator(".run .state")
    server.stop()
    expect(page.locator("#notice")).to_have_text("The server does not answer.")
    expect(said).to_have_text("Waiting for the server")
    before = progress(page)
    page.wait_for_timeout(1500)
    assert progress(page) == before
    server.start()
    expect(said).to_have_text("Looking for better routes")
    expect(page.locator("#notice")).to_be_hidden()
    page.click(".halt")
    wait_for_state(page, "cancelled")


def test_a_plan_that_is_gone_is_no_longer_waited_for(page):
    page.select_option("#demo", "town-200")
    choose(page, 600)
    answer = {"status": 404, "code": "not-found", "detail": "there is no job x"}
    page.route(
        "**/events",
        lambda route: route.fulfill(
            status=404, content_type="application/problem+json", body=json.dumps(answer)
        ),
    )
    page.click("#start")
    expect(page.locator("#notice")).to_have_text("There is no job x.")
    expect(page.locator(".run .state")).to_have_text("Not followed any more")
    page.click(".halt")
    expect(page.locator("#jobs tr:nth-child(1) td:nth-child(5)")).to_have_text("cancelled")


def test_earlier_plans_are_told_apart_and_up_to_date(page, url, tmp_path):
    for title in ("North", "South"):
        stops = tmp_path / f"{title}.csv"
        stops.write_text(STOPS.replace("\t", ","))
        page.set_input_files("#file", stops)
        expect(page.locator("#done")).to_contain_text(f"from {title}.csv")
        choose(page, 600 if title == "South" else 1)
        page.click("#start")
        page.wait_for_selector(".run .trip", state="attached")
        if title == "North":
            wait_for_state(page, "done")
    rows = page.locator("#jobs tbody tr")
    expect(rows.nth(0).locator("td").nth(1)).to_have_text("South")
    expect(rows.nth(1).locator("td").nth(1)).to_have_text("North")
    assert re.match(r"\d+:\d\d", rows.nth(0).locator("td").nth(0).inner_text())
    job = rows.nth(0).locator("[data-job]").get_attribute("data-job")
    rows.nth(1).locator("[data-job]").click()
    expect(page.locator(".run")).to_have_count(2)
    days = [words.split("\n")[1] for words in page.locator(".run h2").all_inner_texts()]
    assert [day.partition(",")[0] for day in days] == ["South", "North"]
    page.click(".run:first-child .close")
    expect(rows.nth(0).locator("td").nth(4)).to_have_text("running")
    assert page.request.delete(f"{url}/v1/jobs/{job}").ok
    expect(rows.nth(0).locator("td").nth(4)).to_have_text("cancelled")
