"""The page of all groups."""

import json

from support import EVIL, Visit, claim, fluxnetes, job, one_time_link, sql, submit

CHINESE = "任务"
LONG = "l" * 253


def filters(visit):
    page = visit.open("groups")
    visit.sees("default/runs")
    claim("the columns have their names",
          [each.inner_text() for each in page.get_by_role("columnheader").all()]
          == ["chosen", "group", "state", "pods", "queue", "priority", "age", "start", "why"])

    page.get_by_role("combobox", name="state").select_option("GROUP_STATE_UNSATISFIABLE")
    page.get_by_text("default/runs").first.wait_for(state="detached")
    claim("a filter is in the address", "state=GROUP_STATE_UNSATISFIABLE" in page.url, page.url)
    claim("and shows what is like it", visit.sees("default/huge"), visit.text())
    page.reload()
    claim("it stays after a reload", visit.sees("default/huge") and
          page.get_by_role("combobox", name="state").input_value() == "GROUP_STATE_UNSATISFIABLE")
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
    answers = []
    page.route("**/ListGroups", lambda route: answers.append((route, route.fetch())))
    bar.click()
    while not answers:
        page.wait_for_timeout(50)
    fluxnetes("hold", "group", "waits", "--reason", "asked in the test")
    claim("a group that changes does so in its row",
          visit.sees("asked in the test"), visit.text())
    for route, answer in answers:
        route.fulfill(response=answer)
    page.unroute("**/ListGroups")
    claim("a click shows them", visit.sees("default/later-two"), visit.text())
    claim("an answer from before a change does not undo it", "asked in the test" in visit.text(), visit.text())


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


def names(page):
    return page.locator(".groups .window .row a").all_inner_texts()


def await_names(page, wanted):
    page.wait_for_function(
        "wanted => JSON.stringify([...document.querySelectorAll('.groups .window .row a')]"
        ".slice(0, wanted.length).map(each => each.innerText)) === JSON.stringify(wanted)",
        arg=wanted)
    return True


def orders(visit):
    page = visit.open("groups?namespace=default")
    page.get_by_role("button", name="pods", exact=True).click()
    claim("a click on a column orders by it",
          await_names(page, ["default/huge", "default/runs"]), str(names(page)))
    claim("the order is in the address", "order=GROUP_ORDER_SIZE" in page.url, page.url)
    page.get_by_role("button", name="pods", exact=True).click()
    page.get_by_role("columnheader", name="pods").and_(page.locator("[aria-sort=descending]")).wait_for()
    claim("a second click reverses it",
          await_names(page, ["default/other", "default/waits"]), str(names(page)))
    page.reload()
    claim("it stays after a reload", await_names(page, ["default/other", "default/waits"]), str(names(page)))


def search(visit):
    sql(f"INSERT INTO groups_provisional (namespace, group_name, group_size, queue, first_seen_at) "
        f"VALUES ('default', '{CHINESE}', 3, 'default', now())")
    submit(json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": LONG, "namespace": "default"},
        "spec": {"schedulerName": "fluxnetes", "containers": [{
            "name": "main", "image": "debian", "resources": {"requests": {"cpu": "9999"}}}]}}))
    page = visit.open("groups")
    visit.sees(CHINESE)  # the server has followed the database
    page.get_by_label("search").fill(CHINESE)
    page.keyboard.press("Enter")
    claim("a search finds a Chinese name", await_names(page, ["default/" + CHINESE]), str(names(page)))
    page.get_by_label("search").fill("LLLLLLLLLL")
    page.keyboard.press("Enter")
    page.get_by_text(LONG).first.wait_for()
    claim("a search finds the longest name, in capitals too", len(names(page)) == 1, str(names(page)))
    claim("which does not widen the page",
          page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    page.get_by_label("search").fill(EVIL)
    page.keyboard.press("Enter")
    claim("a search for markup finds none and runs none",
          visit.sees("No group is like this") and page.title() != "owned", visit.text())
    page.get_by_label("search").fill("cpu")
    page.keyboard.press("Enter")
    claim("a search finds reasons", visit.sees("default/huge"), visit.text())


def chips(visit):
    page = visit.open("groups")
    chip = page.get_by_role("button", name="1 bound")
    chip.wait_for()
    chip.click()
    claim("a count by state shows those groups alone", await_names(page, ["default/runs"]) and
          "state=GROUP_STATE_BOUND" in page.url, str(names(page)))
    chip.click()
    visit.sees("default/huge")
    claim("and a second click all again", "state=" not in page.url, page.url)


def several(visit):
    page = visit.open("groups?order=GROUP_ORDER_NAME")
    for name in ("huge", "waits", "runs"):
        page.get_by_label(f"Choose default/{name}").check()
    bar = page.get_by_label("Chosen groups")
    bar.get_by_role("button", name="Hold…").click()
    dialog = page.get_by_role("dialog", name="Hold: 3 groups?")
    dialog.wait_for()
    claim("an action on several names all that it will hit",
          all(dialog.get_by_text(f"default/{name}").is_visible() for name in ("huge", "waits", "runs")))
    dialog.get_by_label("Reason").fill(EVIL)
    dialog.get_by_role("button", name="Hold", exact=True).click()
    dialog.get_by_role("alert").wait_for()
    claim("it says which one it did not change, and why",
          "2 of 3 are changed" in dialog.inner_text() and "default/runs: it runs already" in dialog.inner_text(),
          dialog.inner_text())
    claim("and keeps what was typed", dialog.get_by_label("Reason").input_value() == EVIL)
    dialog.get_by_role("button", name="Back").click()
    claim("what was not changed stays chosen", bar.get_by_text("default/runs chosen").is_visible(), bar.inner_text())
    claim("each change is on record",
          sql("SELECT count(*) FROM audit WHERE verb = 'hold' AND via = 'web' AND detail LIKE '<script>%' "
              "AND object IN ('group/default/huge', 'group/default/waits')") == "2")
    claim("a reason is text", visit.sees("held: <script>") and page.locator("#evil").count() == 0
          and page.title() != "owned", page.title())
    bar.get_by_role("button", name="Choose none").click()
    for name in ("huge", "waits"):
        page.get_by_label(f"Choose default/{name}").check()
    bar.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Release", exact=True).click()
    bar.wait_for(state="detached")
    claim("several can be released", sql(
        "SELECT count(*) FROM pod_groups WHERE group_name IN ('huge', 'waits') AND phase = 'held'") == "0")


def export(visit):
    page = visit.open("groups?namespace=default&order=GROUP_ORDER_NAME")
    visit.sees("default/huge")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    lines = open(download.value.path(), encoding="utf-8").read().splitlines()
    claim("a file has all groups of the filter",
          lines[0].startswith("namespace,group,id,state") and any(line.startswith("default,runs,") for line in lines)
          and any(line.startswith(f"default,{CHINESE},") for line in lines), str(lines[:3]))


def check(browser):
    visit = Visit(browser, one_time_link())
    filters(visit)
    orders(visit)
    chips(visit)
    several(visit)
    search(visit)
    export(visit)
    pushed_changes(visit)
    keys(visit)
    claim("nothing fails in the page of groups", visit.errors == [], str(visit.errors))
    visit.close()
