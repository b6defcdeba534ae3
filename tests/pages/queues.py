"""The queues."""

from support import Visit, claim, one_time_link


def visit_queues(visit):
    page = visit.open("queues")
    queue = page.locator("tbody tr", has=page.get_by_role("rowheader", name="default", exact=True))
    queue.wait_for()
    queue.get_by_role("link").nth(1).click()
    claim("a count of a queue leads to its groups",
          visit.sees("default/huge") and "queue=default" in page.url, page.url)


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    visit_queues(visit)
    claim("nothing fails in the page of queues", visit.errors == [], str(visit.errors))
    visit.close()
