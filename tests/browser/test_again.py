"""Plans and days that are come back to: after a reload, in a second window, after an outage."""

import pytest
from planner import choose, figure, state, wait_for_state

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
