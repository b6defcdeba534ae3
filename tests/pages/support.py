"""What the tests of the pages share: the program, a browser that is let in, and
how a claim is said (as tests/scripts/claims.sh does)."""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

PORT = os.environ["PORT"]
BASE = f"http://127.0.0.1:{PORT}/"
PATIENCE = 30_000  # ms
EVIL = "<script>document.title='owned'</script><b id=evil>x</b>"


def claim(words, holds, shown=""):
    """Prints whether a claim holds; what was shown instead stands on the same line,
    since summaries have the first line alone."""
    print(f"ok {words}" if holds else f"not ok {words}: {' '.join(str(shown).split())}", flush=True)


def fluxnetes(*arguments, given=None):
    command = [os.environ["PROGRAM"], "--config", os.environ["CONFIG"]]
    done = subprocess.run([*command, *arguments], input=given, text=True,
                          capture_output=True, timeout=60, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"fluxnetes {arguments}: {done.stderr}")
    return done.stdout


def sql(text):
    """The answer of psql in the schema of the program, without decoration."""
    done = subprocess.run(["psql", os.environ["DATABASE"], "-XqAt", "-v", "ON_ERROR_STOP=1",
                           "-c", "SET search_path TO fluxnetes", "-c", text],
                          text=True, capture_output=True, timeout=60, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{text}: {done.stderr}")
    return done.stdout.strip()


def job(name, pods, cpu="1", seconds=600, **other):
    """The manifest of a gang; `other` resources as memory="4Gi"."""
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
                        "resources": {"requests": {"cpu": cpu, **other}}}]}}}})


def submit(*jobs):
    fluxnetes("submit", "-f", "-", given="\n---\n".join(jobs))


def one_time_link(base=BASE):
    return fluxnetes("web", "--url", base).strip()


def log_says(text):
    with open(os.environ["LOG"], encoding="utf-8") as log:
        return text in log.read()


def await_true(look, patience=30):
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
        if message.type == "error" and not re.search("status of 40[014]", message.text):
            self.errors.append(message.text)

    def sees(self, text):
        try:
            self.page.get_by_text(text).first.wait_for(timeout=PATIENCE)
            return True
        except Exception:  # noqa: BLE001  the page is shown instead
            return False

    def text(self):
        """All that the page says, and first what stands below its navigation."""
        main = self.page.locator("main")
        return " ".join([*main.all_inner_texts(), self.page.inner_text("body")])

    def open(self, route):
        """Shows the page "groups/default/runs", or another."""
        self.page.goto(f"{BASE}#/{route}")
        return self.page

    def close(self):
        self.context.close()
