"""The groups that have ended."""

from support import EVIL, Visit, claim, one_time_link, sql

CHINESE = "任务"
LONG = "l" * 253


def add_ended():
    sql("INSERT INTO group_history (group_id, namespace, group_name, group_size, queue, priority,"
        " result, reason, submitted_at, bound_at, ended_at, recorded_at)"
        f" SELECT 1000000 + i, 'past', CASE i WHEN 1 THEN '{LONG}' WHEN 2 THEN '{CHINESE}' ELSE 'ended-' || i END,"
        f" i, 'default', 0, CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'succeeded' END, $${EVIL}$$,"
        " now() - interval '1 minute' * 4 * i, now() - interval '1 minute' * 3 * i,"
        " now() - interval '1 minute' * i, now() - interval '1 second' * i FROM generate_series(1, 150) AS i")


def visit_history(visit):
    page = visit.open("history?namespace=past")
    claim("groups that ended are listed", visit.sees("past/" + CHINESE), visit.text()[:500])
    claim("how they ended is counted", visit.sees("135 succeeded") and visit.sees("15 failed"), visit.text()[:500])
    claim("a picture shows how groups ended over time",
          page.locator(".curves svg").count() >= 2 and page.locator(".curves rect.well").count() > 0 and
          "at most 150" in visit.text(), visit.text()[:500])
    page.get_by_text("Over time, as text").click()
    over_time = page.get_by_role("table", name="Over time")
    claim("and a table says the same", "150" in over_time.inner_text() and "15" in over_time.inner_text().split(),
          over_time.inner_text())
    page.get_by_text("Over time, as text").click()
    claim("a reason is text", EVIL in visit.text() and page.locator("#evil").count() == 0 and page.title() != "owned")
    claim("a page has a hundred", page.locator("tbody th a").count() == 100, str(page.locator("tbody th a").count()))
    page.get_by_role("button", name="More", exact=True).click()
    visit.sees("150 groups")
    claim("and the next follows", page.locator("tbody th a").count() == 150)
    page.get_by_role("button", name="15 failed").click()
    page.get_by_text("15 groups").wait_for()
    claim("a result can be chosen, and is in the address", "result=failed" in page.url, page.url)
    page.get_by_label("search").fill("ENDED-20")
    page.keyboard.press("Enter")
    page.get_by_text("1 groups").wait_for()
    claim("a search finds by name", page.locator("tbody th a").all_inner_texts() == ["past/ended-20"])
    page.go_back()
    page.get_by_label("order").select_option("HISTORY_ORDER_WAITED")
    page.locator("tbody th a", has_text="past/ended-150").first.wait_for()
    claim("the longest waits come first", page.locator("tbody th a").first.inner_text() == "past/ended-150")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    text = open(download.value.path(), encoding="utf-8").read()
    claim("a file has what is shown", text.startswith("namespace,group,id") and "past,ended-150,1000150,failed" in text, text[:200])
    page.get_by_text("How far estimated starts were off").click()
    claim("errors of estimates are shown, or that there are none",
          visit.sees("95 % within") or visit.sees("No group with an estimate"), visit.text())
    visit.open("history?namespace=nowhere")
    claim("nothing that ended says what to do", visit.sees("Look at the last 30 days"), visit.text())


def narrow(browser):
    visit = Visit(browser, one_time_link(), viewport={"width": 360, "height": 800}, color_scheme="dark")
    visit.sees("default/runs")
    page = visit.open("history?namespace=past")
    visit.sees("past/")
    claim("the longest name does not widen the page",
          page.evaluate("document.documentElement.scrollWidth") <= 360,
          str(page.evaluate("document.documentElement.scrollWidth")))
    visit.close()


def check(browser):
    add_ended()
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    visit_history(visit)
    claim("nothing fails in the history", visit.errors == [], str(visit.errors))
    visit.close()
    narrow(browser)
