"""The timeline and the nodes of a large cluster; tests/scripts/web_picture_test
starts the server. Prints a line for each claim, and how long things take."""

import re
import time

from playwright.sync_api import sync_playwright
from support import Visit, await_true, claim, log_says, one_time_link
from timeline import FRAMES

# When the canvas was first drawn on, by the clock of the page.
WATCH = """() => {
  const fill = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (...words) {
    window.drawnAt ??= performance.now();
    return fill.apply(this, words);
  };
}"""


def note(words):
    print(f"# {words}", flush=True)


def large_timeline(browser):
    visit = Visit(browser, one_time_link(), viewport={"width": 1600, "height": 1000})
    page = visit.page
    page.get_by_role("heading", name="Groups").wait_for()
    page.add_init_script(f"({WATCH})()")
    # The groups' page has had the server read all groups; a read that is given up
    # would still run beside that of the timeline.
    page.goto("about:blank")
    page.wait_for_timeout(3000)
    visit.open("timeline?fold=no")
    page.locator("canvas").wait_for()
    await_true(lambda: page.evaluate("window.drawnAt > 0"))
    note(f"the timeline is drawn {page.evaluate('window.drawnAt'):.0f} ms after its page is asked for")
    count = re.search(r"of (\d+) rows", page.locator("canvas").get_attribute("aria-label"))[1]
    claim("10,000 nodes have a row each", count == "10000", count)
    caption = page.locator("table caption").inner_text()
    claim("100,000 groups have a bar each", "of 100000" in caption, caption)
    times = page.evaluate(FRAMES)
    note(f"frames while panning: half within {times[30]:.0f} ms, 19 of 20 within {times[57]:.0f} ms, all within {times[-1]:.0f} ms")
    page.get_by_label(re.compile("^by")).select_option("rack")
    claim("250 racks have a row each", await_true(lambda: "of 250 rows" in page.locator("canvas").get_attribute("aria-label")))
    times = page.evaluate(FRAMES)
    note(f"frames by rack: half within {times[30]:.0f} ms, 19 of 20 within {times[57]:.0f} ms, all within {times[-1]:.0f} ms")
    claim("nothing fails in a large timeline", visit.errors == [], str(visit.errors))
    visit.close()


def large_nodes(browser):
    visit = Visit(browser, one_time_link(), viewport={"width": 1600, "height": 1000})
    page = visit.page
    page.get_by_role("heading", name="Groups").wait_for()
    begin = time.monotonic()
    visit.open("nodes")
    page.locator(".heat canvas").wait_for()
    note(f"the heat map of 10,000 nodes is there after {1000 * (time.monotonic() - begin):.0f} ms")
    claim("the heat map has all nodes", "on 10000 nodes" in page.locator(".heat canvas").get_attribute("aria-label"))
    claim("the table has the first 200", page.locator("tbody tr").count() == 200 and
          page.locator("table").bounding_box()["height"] > 200 * 20, str(page.locator("table").bounding_box()))
    page.get_by_role("button", name="Show the next 200").click()
    claim("and more when asked", await_true(lambda: page.locator("tbody tr").count() == 400))
    claim("nothing fails with many nodes", visit.errors == [], str(visit.errors))
    visit.close()


def main():
    if not await_true(lambda: log_says("pages"), 30):
        raise RuntimeError("the server does not start")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        large_timeline(browser)
        large_nodes(browser)
        browser.close()


if __name__ == "__main__":
    main()
