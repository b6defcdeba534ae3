"""The frame around every page: keys, light and dark, narrow and wide, a prefix."""

from bundle import MOST, MOST_OF_TIMELINE, Bundle
from support import BASE, PORT, Visit, claim, job, one_time_link, submit


def keys(browser):
    visit = Visit(browser, one_time_link())
    page = visit.page
    visit.sees("default/runs")
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.get_by_role("heading", name="Timeline").wait_for()
    claim("g t shows the timeline", "#/timeline" in page.url, page.url)
    page.keyboard.press("?")
    claim("? shows the keys", page.get_by_role("dialog").get_by_text("shows Groups").is_visible())
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("default/runs")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="default/runs").wait_for()
    claim("/ goes to a group by its name", "#/groups/default/runs" in page.url, page.url)
    claim("nothing fails in the frame", visit.errors == [], str(visit.errors))
    visit.close()


def themes(browser):
    for scheme, back in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")):
        for width in (360, 2560):
            visit = Visit(browser, one_time_link(), color_scheme=scheme,
                          viewport={"width": width, "height": 800})
            visit.sees("default/runs")
            style = visit.page.evaluate(
                "[getComputedStyle(document.body).backgroundColor,"
                " document.documentElement.scrollWidth]")
            claim(f"the pages are {scheme} at {width} pixels and no wider",
                  style[0] == back and style[1] <= width, str(style))
            visit.close()


def prefix(browser):
    base = BASE + "flux/"
    visit = Visit(browser, one_time_link(base))
    claim("all works under a prefix", visit.sees("default/runs"), visit.text())
    claim("and the cookie is for it alone",
          visit.context.cookies()[0]["path"] == "/flux", str(visit.context.cookies()))
    submit(job("under-prefix", 1))
    claim("changes come under a prefix too", visit.sees("1 change"), visit.text())
    visit.close()


def sizes():
    bundle = Bundle(int(PORT))
    claim("the first page needs less than all pages do, and the timeline more than nothing",
          0 < bundle.first and 0 < bundle.rest and 0 < bundle.timeline, str(bundle.sizes))
    claim(f"scripts and styles without the timeline have at most {MOST} bytes",
          bundle.first + bundle.rest <= MOST, str(bundle.sizes))
    claim(f"what the timeline alone needs has at most {MOST_OF_TIMELINE} bytes",
          bundle.timeline <= MOST_OF_TIMELINE, str(bundle.sizes))


def check(browser):
    sizes()
    keys(browser)
    themes(browser)
    prefix(browser)
