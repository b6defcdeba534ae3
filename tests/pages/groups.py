"""The page of all groups."""

from support import Visit, claim, fluxnetes, job, one_time_link, submit


def filters(visit):
    page = visit.open("groups")
    visit.sees("default/runs")
    claim("the columns have their names",
          [each.inner_text() for each in page.get_by_role("columnheader").all()]
          == ["group", "state", "pods", "queue", "age", "start", "why"])

    page.get_by_label("state").select_option("GROUP_STATE_UNSATISFIABLE")
    page.get_by_text("default/runs").first.wait_for(state="detached")
    claim("a filter is in the address", "state=GROUP_STATE_UNSATISFIABLE" in page.url, page.url)
    claim("and shows what is like it", visit.sees("default/huge"), visit.text())
    page.reload()
    claim("it stays after a reload", visit.sees("default/huge") and
          page.get_by_label("state").input_value() == "GROUP_STATE_UNSATISFIABLE")
    page.go_back()
    claim("the back button takes it away", visit.sees("default/runs"), visit.text())
    page.get_by_label("namespace", exact=True).fill("nowhere")
    page.keyboard.press("Enter")
    claim("an empty list says what to do", visit.sees("Show all groups"), visit.text())
    page.go_back()
    visit.sees("default/runs")


def pushed_changes(visit):
    page = visit.open("groups")
    visit.sees("default/runs")
    first = page.locator(".groups .window .row a").first.inner_text()
    submit(job("later-one", 1), job("later-two", 1))
    bar = page.locator("button.bar")
    bar.get_by_text("2 changes").wait_for()
    claim("changes are counted, and no row moves",
          page.locator(".groups .window .row a").first.inner_text() == first and
          "later-one" not in visit.text(), visit.text())
    bar.click()
    claim("a click shows them", visit.sees("default/later-two"), visit.text())
    fluxnetes("hold", "group", "waits", "--reason", "asked in the test")
    claim("a group that changes does so in its row",
          visit.sees("asked in the test"), visit.text())


def keys(visit):
    page = visit.page
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    chosen = page.locator(".row.chosen a").inner_text()
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1).get_by_text(chosen).wait_for()
    claim("j, k and Enter open the group of a row", True)


def check(browser):
    visit = Visit(browser, one_time_link())
    filters(visit)
    pushed_changes(visit)
    keys(visit)
    claim("nothing fails in the page of groups", visit.errors == [], str(visit.errors))
    visit.close()
