"""The overview: counts, what is unwell, and what leads on."""

from support import Visit, claim, fluxnetes, one_time_link


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    page = visit.open("overview")
    page.get_by_role("heading", name="Next starts").wait_for()
    claim("the groups are counted", page.locator(".counts li").first.inner_text().split()[0] != "0",
          page.locator(".counts").inner_text())
    claim("a group that can never start is unwell",
          visit.sees("can never start as the cluster is"), visit.text())
    fluxnetes("queue", "pause", "default")
    claim("a paused queue is unwell, soon after it is paused",
          visit.sees("The queue default is paused."), visit.text())
    fluxnetes("queue", "resume", "default")
    page.get_by_role("region", name="What is unwell").get_by_role("link", name="can never start").click()
    claim("what is unwell leads to its groups", visit.sees("default/huge"), page.url)
    claim("nothing fails in the overview", visit.errors == [], str(visit.errors))
    visit.close()
