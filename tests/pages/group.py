"""The page of one group."""

import re

from support import EVIL, Visit, claim, fluxnetes, one_time_link, sql


def visit_group(visit):
    page = visit.open("groups/default/huge")
    claim("a group says why it does not start", visit.sees("What would help"), visit.text())
    claim("and what keeps its pods off", page.get_by_text("what keeps the pods off").first.wait_for() is None)
    sql("UPDATE pod_groups SET told = 'room', told_at = now() WHERE group_name = 'huge'")
    page.reload()
    claim("what its pods were told last is part of what happened",
          visit.sees("last told why they wait (event FailedScheduling, condition PodScheduled): room"), visit.text())
    sql("INSERT INTO group_history (group_id, namespace, group_name, group_size, queue, priority, result, submitted_at,"
        " allocated_at, ended_at, last_estimated_at, last_estimate) SELECT 2000000 + row_number() OVER (), 'past', 'estimated', 1, 'default', 0,"
        " 'succeeded', now() - interval '9 hours', now() - interval '1 hour', now(), now() - interval '1 hour' - l.ahead,"
        " now() - interval '1 hour' + interval '2 minutes' FROM generate_series(1, 3) AS i,"
        " (VALUES (interval '0'), (interval '5 minutes'), (interval '20 minutes')) AS l (ahead)")
    if sql("SELECT count(*) FROM pod_groups WHERE group_name = 'waits' AND phase = 'held'") == "1":
        fluxnetes("release", "group", "waits")  # the tests of the list have held it
    visit.open("groups/default/waits")
    claim("how wrong estimates like its own were is beside its start",
          visit.sees("half were off by at most 2 m, 95 % by at most 2 m"), visit.text())
    sql("DELETE FROM group_history WHERE namespace = 'past'")
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
