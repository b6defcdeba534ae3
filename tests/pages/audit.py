"""Who has changed what."""

from support import EVIL, Visit, claim, fluxnetes, one_time_link


def check(browser):
    fluxnetes("hold", "group", "huge", "--reason", EVIL)
    fluxnetes("release", "group", "huge")
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    page = visit.open("audit?object=group/default/huge")
    page.locator("tbody tr", has_text="hold").first.wait_for()
    claim("changes are listed, the newest first",
          "release" in page.locator("tbody tr").first.inner_text(), visit.text())
    claim("a detail is text", EVIL in visit.text() and page.locator("#evil").count() == 0 and page.title() != "owned")
    page.get_by_role("link", name="group/default/huge").first.click()
    page.get_by_role("heading", name="default/huge").wait_for()
    claim("an object leads to its group", "#/groups/default/huge" in page.url, page.url)
    visit.open("audit?search=surely-nobody-did-this")
    claim("an empty audit log says what is recorded", visit.sees("Nobody has changed anything like this"), visit.text())
    claim("nothing fails in the audit log", visit.errors == [], str(visit.errors))
    visit.close()
