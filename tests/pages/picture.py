"""The pictures of the pages in the README and the manual;
tests/scripts/web_picture_test starts the server. The scheduler's decisions are
real. Its times are moved to a fixed morning and rounded, so that the pictures are
always the same; what is compared are squares of a few pixels, since letters differ
between machines."""

import base64
import datetime
import json
import os
import pathlib
import re

from playwright.sync_api import sync_playwright
from support import Visit, await_true, claim, fluxnetes, job, log_says, one_time_link, submit

MORNING = datetime.datetime(2026, 5, 4, 9, 0, tzinfo=datetime.timezone.utc)
ROUND = 300  # s
NO_TIME = 2147483647
MOST = 0.02  # of the squares may differ

# Name, pods, cpu and Gi of each, minutes; each is placed or reserved before the next.
JOBS = [("solver", 4, 16, 20, 50), ("train-vision", 3, 16, 60, 95), ("render", 6, 8, 16, 35),
        ("etl", 2, 16, 48, 20), ("train-language", 8, 16, 40, 60), ("report", 2, 16, 4, 15),
        ("sweep", 4, 12, 8, 40), ("nightly", 12, 4, 4, 30)]

COMPARE = """async ([mine, theirs]) => {
  const squares = async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width >> 2, image.height >> 2];
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  };
  const [a, b] = [await squares(mine), await squares(theirs)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differ = 0;
  for (let i = 0; i < a.data.length; i += 4)
    if ([0, 1, 2].some((part) => Math.abs(a.data[i + part] - b.data[i + part]) > 48)) ++differ;
  return differ / (a.data.length / 4);
}"""


def rounded(seconds):
    return seconds if seconds == NO_TIME else round(seconds / ROUND) * ROUND


def moved(answer):
    """The same answer, with times as of MORNING."""
    def parse(text):
        return datetime.datetime.fromisoformat(text[:19] + "+00:00")
    now = parse(answer["now"])
    answer["now"] = MORNING.isoformat().replace("+00:00", "Z")
    groups = answer["groups"]
    for column in ("starts", "ends"):
        groups[column] = [rounded(each) for each in groups[column]]
    for each in answer.get("maintenance", []):
        for name in ("startsAt", "endsAt"):
            ahead = rounded((parse(each[name]) - now).total_seconds())
            each[name] = (MORNING + datetime.timedelta(seconds=ahead)).isoformat().replace("+00:00", "Z")
    return answer


def is_decided(name):
    group = json.loads(fluxnetes("get", "group", name, "-o", "json"))
    group = group.get("items", [group])[0]
    return group["state"] == "bound" or group.get("phase") == "reserved"


def schedule():
    fluxnetes("queue", "set", "default", "queue_policy=conservative")
    fluxnetes("drain", "node11", "--from", "+150m", "--until", "+210m", "--reason", "new disks")
    for name, pods, cpu, memory, minutes in JOBS:
        submit(job(name, pods, cpu=str(cpu), seconds=minutes * 60, memory=f"{memory}Gi"))
        if not await_true(lambda: is_decided(name)):  # noqa: B023  called at once
            raise RuntimeError(f"{name} is neither placed nor reserved")


# What a picture shows: its page, how wide and high the window is, its colours, and
# what the page has once it is read.
PICTURES = {
    "timeline": (f"timeline?span={240 * 60_000}", (1000, 560), "light", "canvas"),
    "timeline-dark": (f"timeline?span={240 * 60_000}", (1000, 560), "dark", "canvas"),
    "groups": ("groups", (1000, 600), "light", ".row .name"),
    "group": ("groups/default/nightly", (1000, 960), "light", "#pods"),
    "nodes": ("nodes?resource=memory", (1000, 620), "light", "canvas"),
    "nodes-dark": ("nodes?resource=memory", (1000, 620), "dark", "canvas"),
    "whatif": ("what-if", (1000, 1250), "light", "main textarea"),
}
STAMP = re.compile(r'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z"')


def stamps_moved(text):
    """The same answer, with every time as of MORNING."""
    now = datetime.datetime.now(datetime.timezone.utc)

    def move(found):
        ahead = (datetime.datetime.fromisoformat(found[1] + "+00:00") - now).total_seconds()
        return f'"{(MORNING + datetime.timedelta(seconds=rounded(ahead))).isoformat()[:19]}Z"'
    return STAMP.sub(move, text)


def answer_of_then(route):
    if route.request.url.endswith("/GetTimelineChart"):
        return route.fulfill(json=moved(route.fetch().json()))
    found = route.fetch()
    return route.fulfill(status=found.status, content_type="application/json",
                         body=stamps_moved(found.text()))


def ask_what_if(page):
    page.get_by_label("Manifests of Pods").fill(job("urgent", 4, cpu="16", seconds=1800))
    page.get_by_label("more nodes").fill("4:like=node0")
    page.get_by_role("button", name="Simulate").click()
    page.locator("canvas").nth(1).wait_for()


def show(browser, name):
    path, (width, height), scheme, there = PICTURES[name]
    visit = Visit(browser, one_time_link(), viewport={"width": width, "height": height},
                  timezone_id="UTC", locale="en-GB", color_scheme=scheme)
    page = visit.page
    page.get_by_role("heading", name="Groups").wait_for()
    page.route("**/fluxnetes.v1.Scheduler/*", answer_of_then)
    # Nothing changes while a picture is taken.
    page.add_init_script("window.EventSource = class extends EventTarget { close() {} };")
    page.clock.set_fixed_time(MORNING)
    visit.open(path)
    page.reload()
    page.locator(there).first.wait_for()
    if name == "whatif":
        ask_what_if(page)
    page.wait_for_timeout(500)
    return visit


def main():
    if not await_true(lambda: log_says("pages"), 30):
        raise RuntimeError("the server does not start")
    await_true(lambda: os.path.exists(os.environ["SCRATCH"] + "/cluster.sock"))
    schedule()
    folder = pathlib.Path(os.environ["PICTURES"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        visit = show(browser, "timeline")

        def difference(mine, theirs):
            return visit.page.evaluate(COMPARE, [base64.b64encode(each).decode() for each in (mine, theirs)])
        section = visit.page.locator(".chart")
        picture = section.screenshot()
        visit.page.keyboard.press("-")
        visit.page.wait_for_timeout(300)
        claim("another time is another picture", difference(picture, section.screenshot()) > MOST)
        for name in PICTURES:
            again = show(browser, name)
            drawn = again.page.locator("main").screenshot()
            kept = folder / f"{name}.png"
            if os.environ.get("KEEP_PICTURE"):
                kept.write_bytes(drawn)
            share = difference(drawn, kept.read_bytes())
            claim(f"docs/{name}.png is what the pages show", share <= MOST,
                  f"{share:.3f} of it differs; KEEP_PICTURE=yes tests/scripts/web_picture_test draws it anew")
            claim(f"nothing fails in it: {name}", again.errors == [], str(again.errors))
            again.close()
        browser.close()


if __name__ == "__main__":
    main()
