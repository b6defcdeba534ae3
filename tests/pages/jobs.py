"""The work queue."""

from support import EVIL, Visit, claim, one_time_link, sql


def visit_jobs(visit):
    page = visit.open("jobs")
    page.get_by_role("heading", name="Work queue").wait_for()
    row = page.locator("tbody tr", has=page.get_by_role("rowheader", name="match", exact=True))
    row.first.wait_for()
    claim("jobs are counted by kind and state", visit.sees("Counted"), visit.text())
    page.get_by_label("kind").fill("nothing")
    page.keyboard.press("Enter")
    claim("no job like this says what to do", visit.sees("No job is like this"), visit.text())
    page.get_by_role("link", name="Show those of the last hour").click()
    claim("jobs that ended are shown", page.locator("td", has_text="completed").first.wait_for() is None and "ended=3600" in page.url, page.url)


def failed_job(visit):
    job = sql("INSERT INTO jobs (kind, queue, state, attempt, max_attempts, errors, scheduled_at) "
              "VALUES ('unknown', 'nobody', 'retryable', 1, 3, jsonb_build_array(jsonb_build_object("
              f"'attempt', 1, 'at', now(), 'message', $${EVIL}$$)), now() + interval '1 hour') "
              "RETURNING id").split()[0]
    page = visit.open("jobs?kind=unknown")
    row = page.locator("tbody tr", has=page.get_by_role("rowheader", name=job, exact=True))
    row.wait_for()
    claim("a job shows its attempts", "1 of 3" in row.inner_text(), row.inner_text())
    claim("an error is text", EVIL in row.inner_text() and page.locator("#evil").count() == 0
          and page.title() != "owned", row.inner_text())
    row.get_by_role("button", name="Retry…").click()
    page.get_by_role("heading", name=f"Retry job {job}?").wait_for()
    page.get_by_label("Reason").fill("tested")
    page.get_by_role("button", name="Retry", exact=True).click()
    row.get_by_text("available").wait_for()
    claim("a job can be retried", True)
    row.get_by_role("button", name="Cancel…").click()
    page.get_by_role("button", name="Cancel the job").click()
    row.wait_for(state="detached")
    claim("and cancelled", sql(f"SELECT state FROM jobs_finished WHERE id = {job}") == "cancelled")
    claim("both are on record",
          sql(f"SELECT string_agg(verb || ' ' || via, ',' ORDER BY id) FROM audit WHERE object = 'job/{job}'")
          == "retry web,cancel web")


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    visit_jobs(visit)
    failed_job(visit)
    claim("nothing fails in the work queue", visit.errors == [], str(visit.errors))
    visit.close()
