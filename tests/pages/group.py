"""The page of one group."""

import re

from support import EVIL, Visit, claim, one_time_link


def visit_group(visit):
    page = visit.open("groups/default/huge")
    claim("a group says why it does not start", visit.sees("What would help"), visit.text())
    claim("and what keeps its pods off", page.get_by_text("what keeps the pods off").first.wait_for() is None)
    visit.open("groups/default/runs")
    claim("a group shows its pods with their nodes",
          visit.sees("runs-0") and
          page.locator("td", has_text=re.compile(r"^[ab]-?[0-9]")).count() == 2, visit.text())
    visit.open("groups/default/none")
    claim("a group that is not there says so", visit.sees("There is no group default/none"), visit.text())


def actions(visit):
    page = visit.open("groups/default/other")
    page.get_by_role("button", name="Hold…").click()
    claim("an action names what it will hit",
          page.get_by_role("heading", name="Hold default/other?").is_visible())
    page.get_by_label("Reason").fill(EVIL)
    page.get_by_role("button", name="Hold", exact=True).click()
    claim("a reason is shown as it was typed", visit.sees(EVIL), visit.text())
    claim("and nothing of it becomes part of the page",
          page.locator("#evil").count() == 0 and page.title() != "owned", page.title())
    visit.open("groups")
    claim("neither in the list", visit.sees(EVIL) and page.locator("#evil").count() == 0)
    visit.open("groups/default/other")
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Release", exact=True).click()
    claim("a held group can be released", page.get_by_role("button", name="Hold…").wait_for() is None)


def priority(visit):
    page = visit.open("groups/default/huge")
    page.get_by_role("button", name="Priority…").click()
    page.get_by_role("heading", name="Set the priority of default/huge?").wait_for()
    page.get_by_label("Priority", exact=True).fill("7")
    page.get_by_label("Reason").fill("it is late")
    page.get_by_role("button", name="Set", exact=True).click()
    claim("a priority can be raised", visit.sees("7 (set by somebody)"), visit.text())
    claim("what happened has it", visit.sees("did priority: 7: it is late"), visit.text())
    page.get_by_role("button", name="Priority…").click()
    page.get_by_label("Priority", exact=True).fill("")
    page.get_by_role("button", name="Set", exact=True).click()
    page.get_by_text("(set by somebody)").wait_for(state="detached")
    claim("and taken back", "it is late" in visit.text(), visit.text())
    visit.open("groups/default/runs")
    claim("a group that runs has no priority to set",
          visit.sees("its last pod was bound") and page.get_by_role("button", name="Priority…").count() == 0)


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    visit_group(visit)
    actions(visit)
    priority(visit)
    claim("nothing fails in the page of a group", visit.errors == [], str(visit.errors))
    visit.close()
