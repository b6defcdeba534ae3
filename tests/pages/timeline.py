"""The timeline."""

import re
import xml.etree.ElementTree as ElementTree

from support import Visit, await_true, claim, fluxnetes, job, one_time_link, submit

MINUTE = 60_000
MONTH = 31 * 24 * 60 * MINUTE

# The colours on the canvas, and where the first pixel of the given one is.
PAINTED = """(wanted) => {
  const canvas = document.querySelector("canvas");
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = {};
  for (let i = 0; i < data.length; i += 4) {
    const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
    colours[colour] ??= [(i / 4) % canvas.width, Math.floor(i / 4 / canvas.width)];
  }
  return wanted ? colours[wanted] : Object.keys(colours);
}"""
RUNNING = "17,102,47"
NOW = "209,36,47"


def saved(page, button):
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    with open(download.value.path(), "rb") as file:
        return file.read()


def words_of(svg):
    """The texts of an SVG with their places: [(x, y, text)]."""
    root = ElementTree.fromstring(svg.decode())
    return [(float(each.get("x")), float(each.get("y")), each.text or "")
            for each in root.iter("{http://www.w3.org/2000/svg}text")]


def row_count(page):
    return int(re.search(r"of (\d+) rows", page.locator("canvas").get_attribute("aria-label"))[1])


def address(page):
    # `page.url` is that of the last event that was handled.
    return page.evaluate("location.href")


def await_url(page, text):
    return await_true(lambda: text in address(page), 5)


def shows_bars(visit):
    page = visit.open("timeline")
    page.locator("canvas").wait_for()
    page.wait_for_timeout(500)
    painted = page.evaluate(PAINTED)
    claim("the canvas has running bars", RUNNING in painted, str(painted[:20]))
    claim("and the line of now", NOW in painted, str(painted[:20]))
    rows = page.locator("table tbody tr").all_inner_texts()
    claim("a table says the same", any("default/runs" in row and "running" in row for row in rows), str(rows[:5]))
    x, y = page.evaluate(PAINTED, RUNNING)
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + x + 3, box["y"] + y + 3)
    tip = page.locator(".tip span")
    claim("a bar that is pointed at says what it is",
          await_true(lambda: re.search(r"default/\w+, running, \d+ pods", tip.inner_text())), tip.inner_text())
    page.wait_for_timeout(100)
    claim("and the others are faint", set(page.evaluate(PAINTED)) != set(painted))
    name = tip.inner_text().split(",")[0]
    page.mouse.click(box["x"] + x + 3, box["y"] + y + 3)
    claim("a click opens its group", await_url(page, f"#/groups/{name}?id="), page.url)
    page.go_back()
    page.locator("canvas").wait_for()


def zooms(visit):
    page = visit.page
    page.locator("h1").click()
    page.keyboard.press("+")
    claim("+ zooms, and the address has it", await_url(page, f"span={120 * MINUTE}"), page.url)
    for _ in range(9):
        page.keyboard.press("+")
    claim("a minute is the shortest time", await_url(page, f"span={MINUTE}"), page.url)
    first = page.evaluate("document.querySelector('canvas').toDataURL()")
    claim("now moves", await_true(lambda: page.evaluate("document.querySelector('canvas').toDataURL()") != first, 3))
    for _ in range(20):
        page.keyboard.press("-")
    claim("a month is the longest", await_url(page, f"span={MONTH}"), page.url)
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 100)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -1200)
    page.keyboard.up("Control")
    claim("Ctrl and the wheel zoom where the pointer is",
          await_true(lambda: f"span={MONTH}" not in address(page) and "from=" in address(page), 5), address(page))
    before = address(page)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 100, steps=4)
    page.mouse.up()
    claim("the pointer drags the time", await_true(lambda: address(page) != before, 5), page.url)
    page.locator("h1").click()
    page.keyboard.press("n")
    claim("n follows now again", await_true(lambda: "from=" not in address(page), 5), page.url)
    span = re.search(r"span=\d+", address(page))[0]
    page.reload()
    page.locator("canvas").wait_for()
    page.wait_for_timeout(400)
    claim("the time outlives a reload", span in address(page), address(page))
    visit.open(f"timeline?span={MINUTE}")
    page.wait_for_timeout(400)
    page.keyboard.press("-")
    claim("an address that is typed is shown", await_url(page, f"span={2 * MINUTE}"), address(page))


def has_rows(visit):
    page = visit.open("timeline?fold=no")
    page.locator("canvas").wait_for()
    claim("each node has a row", await_true(lambda: row_count(page) >= 8), str(row_count(page)))
    nodes = row_count(page)
    page.get_by_role("checkbox", name="equal rows as one").check()
    claim("equal rows are one", await_true(lambda: row_count(page) < nodes), str(row_count(page)))
    page.get_by_label(re.compile("^by")).select_option("zone")
    cells = page.locator("table tbody tr td:first-child")
    claim("rows by zone", await_true(lambda: {"east", "west"} & set(cells.all_inner_texts())),
          str(cells.all_inner_texts()))
    page.get_by_label(re.compile("^by")).select_option("label")
    page.get_by_label("label of nodes").fill("kubernetes.io/hostname")
    page.keyboard.press("Enter")
    claim("rows by any label of nodes", await_url(page, "level=kubernetes.io%2Fhostname"), page.url)
    page.get_by_label(re.compile("^by")).select_option("group")
    claim("rows by group", await_true(lambda: "default/runs" in cells.all_inner_texts()), str(cells.all_inner_texts()))
    page.get_by_label("find").fill("RUNS")
    page.keyboard.press("Enter")
    claim("a search leaves the rows that have it", await_true(lambda: row_count(page) == 1))
    page.get_by_label("find").fill("no such thing")
    page.keyboard.press("Enter")
    claim("and one that finds nothing says so", visit.sees("No node and no group has this"), visit.text())
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("checkbox", name="table").check()
    claim("the table can be seen", page.get_by_text("The timeline as text").is_visible())


def is_saved(visit):
    page = visit.open("timeline?fold=no&by=group")
    page.locator("canvas").wait_for()
    page.wait_for_timeout(500)
    png = saved(page, "PNG")
    width = int.from_bytes(png[16:20], "big")
    claim("it can be saved as PNG", png[:8] == b"\x89PNG\r\n\x1a\n" and
          width == page.evaluate("document.querySelector('canvas').width"), str(png[:30]))
    words = [text for _, _, text in words_of(saved(page, "SVG"))]
    claim("and as SVG, with the names of rows and groups", "default/runs" in words and "runs" in words, str(words))


def changes_do_not_move_it(browser):
    visit = Visit(browser, one_time_link(), viewport={"width": 900, "height": 480})
    page = visit.open("timeline?fold=no")
    page.locator("canvas").wait_for()
    page.wait_for_timeout(500)
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.wait_for_timeout(200)

    def nodes():
        return {text: y for x, y, text in words_of(saved(page, "SVG")) if x == 4 and y > 40}
    before = nodes()
    lines = page.locator("table caption").inner_text()
    page.get_by_label("find").type("half a na")
    # A day of drained nodes above what is seen, and more bars there.
    submit(job("comes-one", 1), job("comes-two", 1))
    fluxnetes("drain", "a0", "--from", "+20h", "--reason", "later")
    claim("changes come without a click",
          await_true(lambda: page.locator("table caption").inner_text() != lines), lines)
    claim("what one types meanwhile stays", page.get_by_label("find").input_value() == "half a na",
          page.get_by_label("find").input_value())
    page.get_by_label("find").fill("")
    page.locator("h1").click()
    after = nodes()
    name = min(before, key=before.get)
    claim("and what is seen stays where it is", abs(after.get(name, 0) - before[name]) < 1, f"{before} {after}")
    fluxnetes("undrain", "a0")
    visit.close()


def summer_time(browser):
    """The hours on the axis where summer time ends and begins, in Berlin."""
    visit = Visit(browser, one_time_link(), timezone_id="Europe/Berlin", locale="en-GB",
                  viewport={"width": 1400, "height": 700})
    page = visit.page
    for day, midnight, hours in (
            ("ends", 1792879200000, ["25 Oct", "01:00", "02:00", "02:00", "03:00", "04:00"]),
            ("begins", 1774738800000, ["29 Mar", "01:00", "03:00", "04:00", "05:00"])):
        # The page reads the address when it begins.
        visit.open("nodes")
        page.get_by_role("heading", name="Nodes").wait_for()
        visit.open(f"timeline?from={midnight}&span={6 * 60 * MINUTE}")
        page.locator("canvas").wait_for()
        page.wait_for_timeout(500)
        shown = [text for _, y, text in words_of(saved(page, "SVG")) if y == 16]
        hourly = [text for text in shown if ":" not in text or text.endswith(":00")]
        claim(f"the axis is right where summer time {day}", hourly[:len(hours)] == hours, str(shown))
    visit.close()


def many(groups, nodes):
    """An answer of GetTimelineChart: each node has as many groups in turn."""
    each = groups // nodes
    return {
        "now": "2026-05-04T09:00:00Z",
        "nodes": [f"n{node}" for node in range(nodes)],
        "groups": {
            "ids": [str(group + 1) for group in range(groups)],
            "names": [f"group-{group}" for group in range(groups)],
            "namespaces": ["a"], "namespacePlaces": [0] * groups,
            "queues": ["default"], "queuePlaces": [0] * groups,
            "sizes": [1] * groups,
            "kinds": [1 if group < nodes else 2 for group in range(groups)],
            "starts": [(group // nodes) * 3600 + group % 997 - 1000 for group in range(groups)],
            "ends": [(group // nodes + 1) * 3600 + group % 997 - 1000 for group in range(groups)],
            "nodeCounts": [1] * groups,
            "nodePlaces": [group % nodes for group in range(each * nodes)]},
    }


# The times between frames while the page is moved in each of them.
FRAMES = """async () => {
  const canvas = document.querySelector("canvas");
  const times = [];
  await new Promise((done) => {
    let last = 0;
    const step = (time) => {
      if (last) times.push(time - last);
      last = time;
      if (times.length === 60) return done();
      const pan = times.length % 2 === 0;
      canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: 40, shiftKey: pan, bubbles: true, cancelable: true}));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  return times.sort((a, b) => a - b);
}"""


def very_many(browser):
    visit = Visit(browser, one_time_link())
    page = visit.page
    visit.sees("default/runs")
    page.route("**/GetTimelineChart", lambda route: route.fulfill(json=many(100_000, 10_000)))
    visit.open("timeline?fold=no")
    page.locator("canvas").wait_for()
    claim("100,000 bars on 10,000 nodes are drawn", row_count(page) == 10_000 and
          "of 100000" in page.locator("table caption").inner_text(), page.locator("table caption").inner_text())
    times = page.evaluate(FRAMES)
    print(f"# frames while panning: half within {times[30]:.0f} ms, 19 of 20 within {times[57]:.0f} ms", flush=True)
    page.get_by_label("find").fill("group-99999")
    page.keyboard.press("Enter")
    claim("one of them is found", await_true(lambda: row_count(page) < 20), str(row_count(page)))
    claim("nothing fails with so many", visit.errors == [], str(visit.errors))
    visit.close()


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    shows_bars(visit)
    zooms(visit)
    has_rows(visit)
    is_saved(visit)
    claim("nothing fails in the timeline", visit.errors == [], str(visit.errors))
    visit.close()
    changes_do_not_move_it(browser)
    summer_time(browser)
    very_many(browser)
    for scheme in ("light", "dark"):
        for width in (360, 2560):
            visit = Visit(browser, one_time_link(), color_scheme=scheme, viewport={"width": width, "height": 800})
            page = visit.open("timeline?text=yes")
            page.locator("canvas").wait_for()
            claim(f"the timeline is {scheme} and no wider than {width} pixels",
                  page.evaluate("document.documentElement.scrollWidth") <= width, page.evaluate("document.documentElement.scrollWidth"))
            visit.close()
