"""The scheduler itself."""

from support import Visit, claim, one_time_link


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    page = visit.open("system")
    replicas = page.get_by_role("table", name="Replicas")
    replicas.wait_for()
    claim("the replica is alive and leads", "alive" in replicas.inner_text() and
          "match:default (term" in replicas.inner_text(), replicas.inner_text())
    claim("its health is that of /readyz",
          "heartbeat" not in page.get_by_role("table", name="Health").inner_text() and
          "database" in page.get_by_role("table", name="Health").inner_text(),
          page.get_by_role("table", name="Health").inner_text())
    loops = page.get_by_role("table", name="Loops")
    loops.wait_for()
    words = loops.inner_text()
    claim("every loop says what it does, when it ran, how long and how late",
          all(each in words for each in ("intake", "match", "binder 2", "waits", " ms")) and
          loops.locator("tbody tr").count() == 18, words)
    page.get_by_role("button", name="Run the checks").click()
    checks = page.get_by_role("table", name="Checkup")
    checks.wait_for()
    claim("the doctor's checks run when asked for", "well" in checks.inner_text(), checks.inner_text())
    claim("nothing fails in the page of the system", visit.errors == [], str(visit.errors))
    visit.close()
