"""The queues."""

from support import Visit, claim, fluxnetes, one_time_link


def visit_queues(visit):
    page = visit.open("queues")
    queue = page.locator("tbody tr", has=page.get_by_role("rowheader", name="default", exact=True))
    queue.wait_for()
    queue.locator("a[href*=GROUP_STATE_UNSATISFIABLE]").click()
    claim("a count of a queue leads to its groups",
          visit.sees("default/huge") and "queue=default" in page.url, page.url)


def one_queue(visit):
    page = visit.open("queues")
    page.locator("tbody").get_by_role("link", name="default", exact=True).first.click()
    line = page.get_by_role("table", name="The line")
    line.wait_for()
    claim("a queue has its line", "default/waits" in line.inner_text() and "queues/default" in page.url, line.inner_text())
    kept = page.get_by_role("table", name="Reservations and drain sets")
    claim("and the nodes that it keeps for a group of it", "default/other" in kept.inner_text() and
          kept.locator("a[href*='nodes/']").count() > 0, kept.inner_text())
    claim("and its policy", visit.sees("queue_policy"), visit.text())
    visit.open("queues/nowhere")
    claim("a queue that is not there leads back", visit.sees("There is no queue nowhere"), visit.text())


def pause_and_set(visit):
    page = visit.open("queues")
    row = page.locator("tbody tr", has=page.get_by_role("rowheader", name="default", exact=True))
    page.get_by_role("button", name="Pause default…").click()
    claim("a pause says what it hits",
          page.get_by_role("heading", name="Pause queue default?").is_visible() and
          "None of its groups starts" in visit.text(), visit.text())
    page.get_by_label("Reason").fill("new racks")
    page.get_by_role("button", name="Pause", exact=True).click()
    claim("and the queue is paused", row.get_by_text("paused").wait_for() is None)
    page.get_by_role("button", name="Resume default…").click()
    page.get_by_role("button", name="Resume", exact=True).click()
    claim("and resumed", row.get_by_text("open", exact=True).wait_for() is None)
    page.get_by_role("button", name="Set default…").click()
    page.get_by_label("queue_depth").fill("many")
    page.get_by_role("button", name="Show the difference").click()
    claim("a wrong setting is refused in words", visit.sees("'many' is not allowed"), visit.text())
    page.get_by_label("queue_depth").fill("77")
    page.get_by_role("button", name="Show the difference").click()
    change = page.get_by_role("dialog").get_by_role("row", name="queue_depth")
    change.wait_for()
    claim("the difference of a queue is shown first", change.inner_text().split()[-1] == "77",
          change.inner_text())
    page.get_by_role("button", name="Change", exact=True).click()
    page.get_by_role("dialog").wait_for(state="hidden")
    claim("then the queue is set", "77" in fluxnetes("get", "queues", "-o", "json"))


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    visit_queues(visit)
    one_queue(visit)
    pause_and_set(visit)
    claim("nothing fails in the page of queues", visit.errors == [], str(visit.errors))
    visit.close()
