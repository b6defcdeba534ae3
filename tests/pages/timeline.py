"""The timeline."""

from support import Visit, claim, one_time_link


def visit_timeline(visit):
    page = visit.open("timeline")
    page.locator("canvas").wait_for()
    page.wait_for_timeout(500)
    painted = page.evaluate("""() => {
      const canvas = document.querySelector("canvas");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] === 255) colours.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
      return [...colours];
    }""")
    claim("the canvas has running bars", "17,102,47" in painted, str(painted[:20]))
    claim("and the line of now", "209,36,47" in painted, str(painted[:20]))
    rows = page.locator("table tbody tr").all_inner_texts()
    claim("a table says the same", any("default/runs" in row and "running" in row for row in rows), str(rows[:5]))
    before = page.url
    page.locator("h1").click()
    page.keyboard.press("+")
    claim("+ zooms, and the address has it", "span=7200000" in page.url and page.url != before, page.url)
    page.get_by_role("checkbox", name="table").check()
    claim("the table can be seen", page.get_by_text("The timeline as text").is_visible())


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    visit_timeline(visit)
    claim("nothing fails in the timeline", visit.errors == [], str(visit.errors))
    visit.close()
