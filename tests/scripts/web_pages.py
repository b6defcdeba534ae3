"""The pages of `fluxnetes serve` in Chromium; tests/scripts/web_test starts the
server. Prints a line for each claim, as tests/scripts/claims.sh does."""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

from playwright.sync_api import sync_playwright

PORT = os.environ["PORT"]
BASE = f"http://127.0.0.1:{PORT}/"
PATIENCE = 15_000  # ms
EVIL = "<script>document.title='owned'</script><b id=evil>x</b>"


def claim(words, holds, shown=""):
    print(f"ok {words}" if holds else f"not ok {words}: {shown}", flush=True)


def fluxnetes(*arguments, given=None):
    command = [os.environ["PROGRAM"], "--config", os.environ["CONFIG"]]
    done = subprocess.run([*command, *arguments], input=given, text=True,
                          capture_output=True, timeout=60, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"fluxnetes {arguments}: {done.stderr}")
    return done.stdout


def job(name, pods, cpu="1", seconds=600):
    return json.dumps({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "parallelism": pods, "completions": pods,
            "completionMode": "Indexed",
            "template": {
                "metadata": {"labels": {
                    "fluxnetes.group-name": name,
                    "fluxnetes.group-size": str(pods)}},
                "spec": {
                    "schedulerName": "fluxnetes", "restartPolicy": "Never",
                    "activeDeadlineSeconds": seconds,
                    "containers": [{
                        "name": "main", "image": "debian",
                        "command": ["sh", "-c", f"sleep {seconds}"],
                        "resources": {"requests": {"cpu": cpu}}}]}}}})


def submit(*jobs):
    fluxnetes("submit", "-f", "-", given="\n---\n".join(jobs))


def one_time_link(base=BASE):
    return fluxnetes("web", "--url", base).strip()


def log_says(text):
    with open(os.environ["LOG"], encoding="utf-8") as log:
        return text in log.read()


def await_true(look, patience=15):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if look():
            return True
        time.sleep(0.1)
    return False


def status_of(path, headers, body=None):
    request = urllib.request.Request(BASE + path, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


class Visit:
    """A browser of its own that is let in, and what went wrong in its page."""

    def __init__(self, browser, link=None, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self.note)
        if link:
            self.page.goto(link)

    def note(self, message):
        # The browser notes refused calls too, which the tests make.
        if message.type == "error" and not re.search("status of 40[14]", message.text):
            self.errors.append(message.text)

    def sees(self, text):
        try:
            self.page.get_by_text(text).first.wait_for(timeout=PATIENCE)
            return True
        except Exception:  # noqa: BLE001  the page is shown instead
            return False

    def text(self):
        return self.page.inner_text("body")

    def close(self):
        self.context.close()


def visit_without_a_cookie(browser):
    visit = Visit(browser, BASE)
    claim("a browser without a cookie is told what to run",
          visit.sees("fluxnetes web"), visit.text())
    claim("and gets no data", "default/" not in visit.text(), visit.text())
    visit.page.goto(BASE + "#link=" + "0" * 64)
    claim("an unknown link says that it is used or too old",
          visit.sees("older than five minutes"), visit.text())
    visit.close()


def visit_groups(browser):
    link = one_time_link()
    visit = Visit(browser, link)
    page = visit.page
    claim("a link opens the groups", visit.sees("default/runs"), visit.text())
    claim("the link's secret leaves the address", "link=" not in page.url, page.url)
    cookie = visit.context.cookies()[0]
    claim("no script reads the cookie, and no other site sends it",
          cookie["httpOnly"] and cookie["sameSite"] == "Strict", str(cookie))
    claim("the columns have their names",
          [each.inner_text() for each in page.get_by_role("columnheader").all()]
          == ["group", "state", "pods", "queue", "age", "start", "why"])

    page.get_by_label("state").select_option("GROUP_STATE_UNSATISFIABLE")
    page.get_by_text("default/runs").first.wait_for(state="detached")
    claim("a filter is in the address", "state=GROUP_STATE_UNSATISFIABLE" in page.url, page.url)
    claim("and shows what is like it", visit.sees("default/huge"), visit.text())
    page.reload()
    claim("it stays after a reload", visit.sees("default/huge") and
          page.get_by_label("state").input_value() == "GROUP_STATE_UNSATISFIABLE")
    page.go_back()
    claim("the back button takes it away", visit.sees("default/runs"), visit.text())
    page.get_by_label("namespace", exact=True).fill("nowhere")
    page.keyboard.press("Enter")
    claim("an empty list says what to do", visit.sees("Show all groups"), visit.text())
    page.go_back()
    visit.sees("default/runs")

    again = Visit(browser, link)
    claim("a link works once", again.sees("was used before"), again.text())
    again.close()
    claim("nothing fails in the page", visit.errors == [], str(visit.errors))
    return visit


def pushed_changes(visit):
    page = visit.page
    first = page.locator(".groups .window .row a").first.inner_text()
    submit(job("later-one", 1), job("later-two", 1))
    bar = page.locator("button.bar")
    bar.get_by_text("2 changes").wait_for()
    claim("changes are counted, and no row moves",
          page.locator(".groups .window .row a").first.inner_text() == first and
          "later-one" not in visit.text(), visit.text())
    bar.click()
    claim("a click shows them", visit.sees("default/later-two"), visit.text())
    fluxnetes("hold", "group", "waits", "--reason", "asked in the test")
    claim("a group that changes does so in its row",
          visit.sees("asked in the test"), visit.text())


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
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.get_by_role("heading", name="Timeline").wait_for()
    claim("g t shows the timeline", "#/timeline" in page.url, page.url)
    page.keyboard.press("?")
    claim("? shows the keys", page.get_by_role("dialog").get_by_text("shows Groups").is_visible())
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("default/runs")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="default/runs").wait_for()
    claim("/ goes to a group by its name", "#/groups/default/runs" in page.url, page.url)


def visit_group(visit):
    page = visit.page
    page.goto(BASE + "#/groups/default/huge")
    claim("a group says why it does not start", visit.sees("What would help"), visit.text())
    claim("and what keeps its pods off", page.get_by_text("what keeps the pods off").first.is_visible())
    page.goto(BASE + "#/groups/default/runs")
    claim("a group shows its pods with their nodes",
          visit.sees("runs-0") and
          page.locator("td", has_text=re.compile(r"^[ab]-?[0-9]")).count() == 2, visit.text())
    page.goto(BASE + "#/groups/default/none")
    claim("a group that is not there says so", visit.sees("There is no group default/none"), visit.text())


def actions(visit):
    page = visit.page
    page.goto(BASE + "#/groups/default/other")
    page.get_by_role("button", name="Hold…").click()
    claim("an action names what it will hit",
          page.get_by_role("heading", name="Hold default/other?").is_visible())
    page.get_by_label("Reason").fill(EVIL)
    page.get_by_role("button", name="Hold", exact=True).click()
    claim("a reason is shown as it was typed", visit.sees(EVIL), visit.text())
    claim("and nothing of it becomes part of the page",
          page.locator("#evil").count() == 0 and page.title() != "owned", page.title())
    page.goto(BASE + "#/groups")
    claim("neither in the list", visit.sees(EVIL) and page.locator("#evil").count() == 0)
    page.goto(BASE + "#/groups/default/other")
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Release", exact=True).click()
    claim("a held group can be released", page.get_by_role("button", name="Hold…").wait_for() is None)


def visit_timeline(visit):
    page = visit.page
    page.goto(BASE + "#/timeline")
    page.locator("canvas").wait_for()
    page.wait_for_timeout(500)
    painted = page.evaluate("""() => {
      const canvas = document.querySelector("canvas");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] === 255) colours.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
      return [...colours];
    }""")
    claim("the canvas has running bars", "17,102,47" in painted, str(painted[:20]))
    claim("and the line of now", "209,36,47" in painted, str(painted[:20]))
    rows = page.locator("table tbody tr").all_inner_texts()
    claim("a table says the same", any("default/runs" in row and "running" in row for row in rows), str(rows[:5]))
    before = page.url
    page.locator("h1").click()
    page.keyboard.press("+")
    claim("+ zooms, and the address has it", "span=7200000" in page.url and page.url != before, page.url)
    page.get_by_role("checkbox", name="table").check()
    claim("the table can be seen", page.get_by_text("The timeline as text").is_visible())


def visit_nodes_and_queues(visit):
    page = visit.page
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.press("n")
    row = page.locator("tbody tr", has=page.get_by_role("rowheader", name="a0", exact=True))
    row.wait_for()
    claim("a node says how much of it is in use",
          re.search(r"\d of 8", row.inner_text()) and "nvidia.com/gpu: 0 of 2" in row.inner_text(),
          row.inner_text())
    fluxnetes("drain", "b3", "--reason", "a new fan")
    page.reload()
    claim("and why it is closed", visit.sees("a new fan"), visit.text())
    page.keyboard.press("g")
    page.keyboard.press("q")
    queue = page.locator("tbody tr", has=page.get_by_role("rowheader", name="default", exact=True))
    queue.wait_for()
    queue.get_by_role("link").nth(1).click()
    claim("a count of a queue leads to its groups",
          visit.sees("default/huge") and "queue=default" in page.url, page.url)


def themes(browser):
    for scheme, back in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")):
        for width in (360, 2560):
            visit = Visit(browser, one_time_link(), color_scheme=scheme,
                          viewport={"width": width, "height": 800})
            visit.sees("default/runs")
            style = visit.page.evaluate(
                "[getComputedStyle(document.body).backgroundColor,"
                " document.documentElement.scrollWidth]")
            claim(f"the pages are {scheme} at {width} pixels and no wider",
                  style[0] == back and style[1] <= width, str(style))
            visit.close()


def prefix(browser):
    base = BASE + "flux/"
    visit = Visit(browser, one_time_link(base))
    claim("all works under a prefix", visit.sees("default/runs"), visit.text())
    claim("and the cookie is for it alone",
          visit.context.cookies()[0]["path"] == "/flux", str(visit.context.cookies()))
    submit(job("under-prefix", 1))
    claim("changes come under a prefix too", visit.sees("1 change"), visit.text())
    visit.close()


def refused():
    call = "fluxnetes.v1.Scheduler/ListGroups"
    typed = {"Content-Type": "application/json"}
    claim("another Host is refused",
          status_of("", {"Host": "evil.example"}) == 421)
    claim("and the log says why", await_true(lambda: log_says("evil.example")))
    claim("another site is refused",
          status_of(call, {**typed, "Origin": "http://evil.example"}, b"{}") == 403)
    claim("a call without a cookie is refused", status_of(call, typed, b"{}") == 401)
    claim("and the log says why that is", await_true(lambda: log_says("there is no cookie")))


def main():
    if not await_true(lambda: log_says("pages"), 30):
        raise RuntimeError("the server does not start")
    await_true(lambda: os.path.exists(os.environ["SCRATCH"] + "/cluster.sock"))
    submit(job("runs", 2), job("huge", 1, cpu="9999"), job("other", 32, cpu="2"),
           job("waits", 32, cpu="2"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        refused()
        visit_without_a_cookie(browser)
        visit = visit_groups(browser)
        pushed_changes(visit)
        keys(visit)
        visit_group(visit)
        actions(visit)
        visit_timeline(visit)
        visit_nodes_and_queues(visit)
        claim("no page has an error", visit.errors == [], str(visit.errors))
        themes(browser)
        prefix(browser)
        visit.page.get_by_title("Sign out").click()
        claim("who signs out sees nothing more", visit.sees("You have signed out"), visit.text())
        visit.close()
        browser.close()


if __name__ == "__main__":
    main()
