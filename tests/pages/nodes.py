"""The nodes."""

import re

from support import Visit, claim, fluxnetes, one_time_link


def visit_nodes(visit):
    page = visit.open("nodes")
    row = page.locator("tbody tr", has=page.get_by_role("rowheader", name="a0", exact=True))
    row.wait_for()
    claim("a node says how much of it is in use",
          re.search(r"\d of 8", row.inner_text()) and "nvidia.com/gpu: 0 of 2" in row.inner_text(),
          row.inner_text())
    fluxnetes("drain", "b3", "--reason", "a new fan")
    page.reload()
    claim("and why it is closed", visit.sees("a new fan"), visit.text())


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    visit_nodes(visit)
    claim("nothing fails in the page of nodes", visit.errors == [], str(visit.errors))
    visit.close()
