"""What if."""

import re

from support import Visit, await_true, claim, fluxnetes, job, one_time_link


def line_of(page, name):
    return page.locator("tbody tr", has=page.get_by_role("rowheader", name=name)).first


def compares(visit):
    page = visit.page
    visit.sees("default/runs")
    page.keyboard.press("g")
    page.keyboard.press("w")
    page.get_by_role("heading", name="What if").wait_for()
    page.get_by_label("Manifests of Pods").fill(job("asked", 4, cpu="2"))
    page.get_by_role("button", name="Simulate").click()
    line = line_of(page, "asked")
    line.wait_for()
    claim("what is asked is new and has a start", "new" in line.inner_text() and "does not start" not in line.inner_text(),
          line.inner_text())
    line.scroll_into_view_if_needed()
    claim("the table is to be seen", (line.bounding_box() or {"height": 0})["height"] > 10 and
          page.locator("table").bounding_box()["height"] > 60, str(page.locator("table").bounding_box()))
    claim("now and then are two timelines", page.locator("canvas").count() == 2 and
          page.get_by_role("heading", name="With the change").is_visible())
    claim("what can never start says so", "does not start" in line_of(page, "default/huge").inner_text(),
          line_of(page, "default/huge").inner_text())
    page.get_by_label("more nodes").fill("8:like=a0")
    page.get_by_role("button", name="Simulate").click()
    caption = page.locator("caption")
    claim("with more nodes others start earlier",
          await_true(lambda: re.search(r"[1-9]\d* earlier", caption.inner_text()), 60), caption.inner_text())
    claim("and the table says by how much",
          page.locator("td.earlier").count() > 0 and
          any(re.search(r"\d+ [smhd].*earlier", text) for text in page.locator("td.earlier").all_inner_texts()),
          str(page.locator("td.earlier").all_inner_texts()))
    claim("the change is in the address", "nodes=8%3Alike%3Da0" in page.url, page.url)
    page.get_by_label("rows").select_option("group")
    claim("rows can be groups", "by=group" in page.url, page.url)
    page.get_by_label("more nodes").fill("")
    page.get_by_label("policy of all queues").select_option("fcfs")
    page.get_by_role("button", name="Simulate").click()
    page.get_by_text("Simulating").wait_for(state="detached")
    claim("a policy is tried", page.get_by_role("alert").count() == 0 and "policy=fcfs" in page.url, visit.text())


def refuses(visit):
    page = visit.page
    page.get_by_label("more nodes").fill("8:like=nothing")
    page.get_by_role("button", name="Simulate").click()
    alert = page.get_by_role("alert")
    alert.wait_for()
    claim("a node that is not there is named", "nothing" in alert.inner_text(), alert.inner_text())
    claim("and what was typed stays", "asked" in page.get_by_label("Manifests of Pods").input_value() and
          page.get_by_label("more nodes").input_value() == "8:like=nothing")
    page.get_by_label("more nodes").fill("")
    page.keyboard.press("Tab")
    page.reload()
    claim("the manifests outlive a reload",
          await_true(lambda: "asked" in page.get_by_label("Manifests of Pods").input_value()))
    page.get_by_label("Manifests of Pods").fill("kind: [")
    page.get_by_role("button", name="Simulate").click()
    page.get_by_role("alert").wait_for()
    claim("what is no manifest says where", re.search(r":\d", page.get_by_role("alert").inner_text()),
          page.get_by_role("alert").inner_text())


def takes_files(visit):
    page = visit.page
    page.get_by_label("Manifests of Pods").fill("")
    page.set_input_files("input[type=file]", [
        {"name": "one.json", "mimeType": "application/json", "buffer": job("one-file", 1).encode()},
        {"name": "two.json", "mimeType": "application/json", "buffer": job("two-file", 1).encode()}])
    box = page.get_by_label("Manifests of Pods")
    claim("files are added", await_true(lambda: "one-file" in box.input_value() and "two-file" in box.input_value()),
          box.input_value())
    page.evaluate("""() => {
      const data = new DataTransfer();
      data.items.add(new File(["kind: dropped"], "three.yaml"));
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    }""")
    claim("files can be dropped", await_true(lambda: "kind: dropped" in box.input_value()), box.input_value())


def submits(visit):
    page = visit.page
    page.get_by_label("Manifests of Pods").fill(job("from-what-if", 1))
    page.get_by_role("button", name="Submit…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Submit 1 object?").wait_for()
    claim("submitting names the objects", "default/job.batch/from-what-if" in dialog.inner_text(), dialog.inner_text())
    dialog.get_by_role("button", name="Submit", exact=True).click()
    claim("and says what was made", visit.sees("Submitted: default/job.batch/from-what-if"), visit.text())
    claim("the group is there", await_true(lambda: "from-what-if" in fluxnetes("get", "groups")))


def check(browser):
    visit = Visit(browser, one_time_link())
    compares(visit)
    refuses(visit)
    takes_files(visit)
    submits(visit)
    claim("nothing fails in what-if", visit.errors == [], str(visit.errors))
    visit.close()
    for scheme in ("light", "dark"):
        for width in (360, 2560):
            visit = Visit(browser, one_time_link(), color_scheme=scheme, viewport={"width": width, "height": 800})
            page = visit.open("what-if")
            page.get_by_role("button", name="Simulate").click()
            page.locator("canvas").first.wait_for()
            claim(f"what-if is {scheme} and no wider than {width} pixels",
                  page.evaluate("document.documentElement.scrollWidth") <= width)
            visit.close()
