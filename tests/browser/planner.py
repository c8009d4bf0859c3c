"""What the hands of a planner do with the page, for the tests of this folder."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="see make test-browser").expect

STOPS = "name\tx\ty\tdemand\ndepot\t0\t0\t\neast\t3\t0\t2\nnorth\t0\t4\t3\nwest\t-6\t0\t4\n"


def choose(page, seconds, objective="min-max", method="sisr", certify=0):
    page.evaluate("method => { document.getElementById('method').value = method; }", method)
    page.fill("#seconds", str(seconds))
    page.fill("#certify", str(certify))
    page.check(f"input[value={objective}]")


def state(page, run=0):
    return page.locator(".run").nth(run).get_attribute("data-state")


def wait_for_state(page, wanted, run=0):
    expect(page.locator(".run").nth(run)).to_have_attribute("data-state", wanted)


def figure(page, name, run=0):
    entry = page.locator(".run").nth(run).locator(".figures div", has_text=name)
    return float(entry.locator("dd").inner_text())


def saved(page, button, folder):
    with page.expect_download() as download:
        page.click(button)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def paste(page, table):
    page.click("#paste")
    page.fill("#paste-text", table)
    page.click("#paste-dialog button[value=take]")


def column(page, table, key):
    cells = page.locator(f"{table} [data-key={key}]")
    return cells.evaluate_all("all => all.map(e => e.value)")
