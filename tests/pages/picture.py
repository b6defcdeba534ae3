"""The picture of the timeline in the README; tests/scripts/web_picture_test
starts the server. The scheduler's decisions are real. Its times are moved to a
fixed morning and rounded, so that the picture is always the same; what is
compared are squares of a few pixels, since letters differ between machines."""

import base64
import datetime
import json
import os
import pathlib

from playwright.sync_api import sync_playwright
from support import Visit, await_true, claim, fluxnetes, job, log_says, one_time_link, submit

MORNING = datetime.datetime(2026, 5, 4, 9, 0, tzinfo=datetime.timezone.utc)
ROUND = 300  # s
NO_TIME = 2147483647
MOST = 0.02  # of the squares may differ

# Name, pods, cpu of each, minutes; each is placed or reserved before the next.
JOBS = [("solver", 4, 16, 50), ("train-vision", 3, 16, 95), ("render", 6, 8, 35), ("etl", 2, 16, 20),
        ("train-language", 8, 16, 60), ("report", 2, 16, 15), ("sweep", 4, 12, 40), ("nightly", 12, 4, 30)]

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
    for name, pods, cpu, minutes in JOBS:
        submit(job(name, pods, cpu=str(cpu), seconds=minutes * 60))
        if not await_true(lambda: is_decided(name)):  # noqa: B023  called at once
            raise RuntimeError(f"{name} is neither placed nor reserved")


def show(browser):
    visit = Visit(browser, one_time_link(), viewport={"width": 1000, "height": 560},
                  timezone_id="UTC", locale="en-GB", color_scheme="light")
    page = visit.page
    page.get_by_role("heading", name="Groups").wait_for()
    page.route("**/GetTimelineChart", lambda route: route.fulfill(json=moved(route.fetch().json())))
    page.clock.set_fixed_time(MORNING)
    visit.open(f"timeline?span={240 * 60_000}")
    page.reload()
    page.locator("canvas").wait_for()
    page.wait_for_timeout(500)
    return visit


def main():
    if not await_true(lambda: log_says("pages"), 30):
        raise RuntimeError("the server does not start")
    await_true(lambda: os.path.exists(os.environ["SCRATCH"] + "/cluster.sock"))
    schedule()
    kept = pathlib.Path(os.environ["PICTURE"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        visit = show(browser)
        section = visit.page.locator(".chart")
        picture = section.screenshot()
        if os.environ.get("KEEP_PICTURE"):
            kept.write_bytes(visit.page.locator("main").screenshot())
        visit.page.keyboard.press("-")
        visit.page.wait_for_timeout(300)
        other = section.screenshot()
        main_again = show(browser)
        whole = main_again.page.locator("main").screenshot()

        def difference(mine, theirs):
            return visit.page.evaluate(COMPARE, [base64.b64encode(each).decode() for each in (mine, theirs)])
        claim("another time is another picture", difference(picture, other) > MOST, difference(picture, other))
        share = difference(whole, kept.read_bytes())
        claim("the picture of the README is what the timeline draws", share <= MOST,
              f"{share:.3f} of it differs; KEEP_PICTURE=yes tests/scripts/web_picture_test draws it anew")
        claim("nothing fails in it", visit.errors == [], str(visit.errors))
        browser.close()


if __name__ == "__main__":
    main()
