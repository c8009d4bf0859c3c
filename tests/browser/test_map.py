"""The map: zoomed and moved by mouse, touch, keyboard and buttons; tiles only where asked for."""

import math
import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="see make test-browser").expect
expect.set_options(timeout=60_000)
pytestmark = pytest.mark.browser


def show(page, demo, stops):
    page.select_option("#demo", demo)
    expect(page.locator("#day .stop")).to_have_count(stops)


def places(page):
    """Where the stops are drawn, in the units of the drawing."""
    return page.locator("#day .stop").evaluate_all(
        "all => all.map(e => [Number(e.getAttribute('cx')), Number(e.getAttribute('cy'))])"
    )


def settled(page):
    """The same after the next frame is painted."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return places(page)


def spread(points):
    return max(x for x, _ in points) - min(x for x, _ in points)


def middle(page):
    box = page.locator("#day svg").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_buttons_zoom_and_show_all_again(page):
    show(page, "town-30", 30)
    before = settled(page)
    assert page.locator("#day figcaption").inner_text() == "One square is 1 wide."
    page.click("#day [aria-label='Zoom in']")
    assert spread(settled(page)) == pytest.approx(1.5 * spread(before), abs=0.2)
    page.click("#day [aria-label='Zoom in']")
    expect(page.locator("#day figcaption")).to_have_text("One square is 0.5 wide.")
    page.click("#day [aria-label='Zoom out']")
    page.click("#day [aria-label='Show all']")
    assert settled(page) == before


def test_the_wheel_zooms_once_the_map_was_clicked_and_scrolls_before(page):
    show(page, "town-30", 30)
    before = settled(page)
    page.mouse.move(*middle(page))
    page.mouse.wheel(0, -200)
    assert settled(page) == before
    page.evaluate("scrollTo(0, 0)")
    page.mouse.click(*middle(page))
    page.mouse.wheel(0, -200)
    # e^(200 × 0.002), about the middle, where the pointer is
    assert spread(settled(page)) == pytest.approx(1.4918 * spread(before), abs=0.3)


def test_dragging_moves_the_map_and_is_no_click(page):
    show(page, "town-30", 30)
    page.click("#click")
    page.click("#day [aria-label='Zoom in']")
    before = settled(page)
    x, y = middle(page)
    pixel = page.evaluate("document.querySelector('#day svg').getScreenCTM().a")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 20, steps=4)
    page.mouse.up()
    after = settled(page)
    assert len(after) == 30
    moved = [after[0][axis] - before[0][axis] for axis in (0, 1)]
    assert moved == pytest.approx([40 / pixel, 20 / pixel], abs=0.3)
    page.mouse.click(x, y)
    expect(page.locator("#day .stop")).to_have_count(31)


def test_the_keyboard_zooms_moves_and_brings_stops_into_sight(page):
    show(page, "town-30", 30)
    before = settled(page)
    page.focus("#day svg")
    for _ in range(4):
        page.keyboard.press("+")
    assert spread(settled(page)) == pytest.approx(1.5**4 * spread(before), rel=0.01)
    held = places(page)
    page.keyboard.press("Shift+ArrowRight")
    assert settled(page)[0][0] == pytest.approx(held[0][0] - 80, abs=0.2)  # an eighth of 640
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        ring = page.locator("#day .ring")
        assert 0 <= float(ring.get_attribute("cx")) <= 640
    assert "demand" in page.locator("#day .tip").inner_text()
    page.keyboard.press("0")
    assert settled(page) == before


def test_two_fingers_pinch(phone):
    show(phone, "town-30", 30)
    before = settled(phone)
    phone.evaluate(
        """() => {
          const svg = document.querySelector('#day svg');
          const box = svg.getBoundingClientRect();
          const send = (kind, id, share) => svg.dispatchEvent(new PointerEvent(kind, {
            pointerId: id, pointerType: 'touch', bubbles: true,
            clientX: box.left + share * box.width, clientY: box.top + box.height / 2 }));
          svg.setPointerCapture = () => {};
          send('pointerdown', 7, 0.4); send('pointerdown', 8, 0.6);
          send('pointermove', 7, 0.3); send('pointermove', 8, 0.7);
          send('pointerup', 7, 0.3); send('pointerup', 8, 0.7);
        }"""
    )
    assert spread(settled(phone)) == pytest.approx(2 * spread(before), rel=0.01)
    assert phone.evaluate("document.querySelector('#day svg').style.touchAction") == "none"


def test_stops_by_latitude_are_clicked_where_they_are(page):
    show(page, "munich", 40)
    assert page.locator("#day figcaption").inner_text() == "North is up; one square is 2 km."
    page.click("#click")
    place = page.locator("#day .stop").first
    box = place.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.click("#stops-details summary")
    rows = page.locator("#stops tbody tr")
    expect(rows).to_have_count(42)
    old, new = (
        [float(rows.nth(k).locator(f"[data-key={axis}]").input_value()) for axis in ("lat", "lon")]
        for k in (1, 41)
    )
    assert new == pytest.approx(old, abs=2e-4)


def test_without_tiles_nothing_is_fetched_from_elsewhere(page, url):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    show(page, "munich", 40)
    page.click("#day [aria-label='Zoom in']")
    settled(page)
    assert [address for address in asked if not address.startswith(url)] == []
    assert page.locator(".tiles image").count() == 0


def tile_of(lat, lon, depth):
    """The column and row of the Web Mercator tile that holds a place."""
    height = math.asinh(math.tan(math.radians(lat))) / math.pi
    return int((lon + 180) / 360 * 2**depth), int((1 - height) / 2 * 2**depth)


def test_tiles_lie_under_the_stops_and_their_makers_are_named(tiled):
    page, asked = tiled
    show(page, "munich", 40)
    expect(page.locator("#day .tiles image").first).to_be_attached()
    caption = page.locator("#day figcaption").inner_text()
    assert caption == "North is up. © the map makers"
    page.wait_for_load_state("networkidle")
    depths = {re.fullmatch(r"/(\d+)/\d+/\d+\.png", path)[1] for path in asked}
    assert len(depths) == 1
    depth = int(depths.pop())
    column, row = tile_of(48.1915, 11.647, depth)  # the depot's
    assert f"/{depth}/{column}/{row}.png" in asked
    tile = page.locator(f"#day [data-tile='{depth}/{column}/{row}']").bounding_box()
    depot = page.locator("#day .depot").bounding_box()
    for axis, length in (("x", "width"), ("y", "height")):
        middle_of_depot = depot[axis] + depot[length] / 2
        assert tile[axis] <= middle_of_depot <= tile[axis] + tile[length]
    show(page, "town-30", 30)
    assert page.locator(".tiles image").count() == 0
