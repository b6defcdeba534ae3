"""The pages of `fluxnetes serve` in Chromium, one file for each page;
tests/scripts/web_test starts the server. Prints a line for each claim.

    run.py [PAGE...]       all pages, or these
"""

import os
import sys
import traceback

import accounts
import audit
import every_page
import frame
import group
import groups
import history
import jobs
import load
import nodes
import overview
import queues
import roles
import sign_in
import system
import timeline
import trouble
import whatif
from playwright.sync_api import sync_playwright
from support import await_true, claim, job, log_says, submit

PAGES = [sign_in, groups, group, timeline, nodes, whatif, queues, jobs, history,
         audit, accounts, overview, system, frame, every_page,
         roles, trouble, load]


def main():
    if not await_true(lambda: log_says("pages"), 30):
        raise RuntimeError("the server does not start")
    await_true(lambda: os.path.exists(os.environ["SCRATCH"] + "/cluster.sock"))
    submit(job("runs", 2), job("huge", 1, cpu="9999"), job("other", 32, cpu="2"),
           job("waits", 32, cpu="2"))
    wanted = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        for each in PAGES:
            if wanted and each.__name__ not in wanted:
                continue
            try:
                each.check(browser)
            except Exception:  # noqa: BLE001  the other pages are tested all the same
                claim(f"the tests of {each.__name__} come to their end", False,
                      traceback.format_exc())
        browser.close()


if __name__ == "__main__":
    main()
