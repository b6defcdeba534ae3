"""The nodes, one node, and maintenance."""

import json
import os
import re
import subprocess

from support import EVIL, Visit, await_true, claim, fluxnetes, job, one_time_link, submit
from timeline import PAINTED, RUNNING


def line_of(page, name):
    return page.locator("tbody tr", has=page.get_by_role("link", name=name, exact=True))


def lists_nodes(visit):
    page = visit.open("nodes")
    row = line_of(page, "a0")
    row.wait_for()
    claim("a node says how much of it is in use",
          re.search(r"\d of 8", row.inner_text()) and "nvidia.com/gpu: 0 of 2" in row.inner_text(),
          row.inner_text())
    fluxnetes("drain", "b3", "--reason", "a new fan")
    claim("and why it is closed, without a reload", visit.sees("a new fan"), visit.text())


def has_a_heat_map(visit):
    page = visit.page
    canvas = page.locator(".heat canvas")
    box = canvas.bounding_box()
    tip = page.locator(".heat .tip")
    found = {}
    for y in range(2, int(box["height"]), 10):
        page.mouse.move(box["x"] + 115, box["y"] + y)
        page.wait_for_timeout(30)
        found[tip.inner_text().split(":")[0]] = (115, y)
    claim("the heat map has a square for each node", {"a0", "b0"} <= set(found), str(found))
    page.mouse.move(box["x"] + found["a0"][0], box["y"] + found["a0"][1])
    claim("it says how much is in use", await_true(lambda: re.search(r"a0: \d+ % of cpu in use", tip.inner_text())),
          tip.inner_text())
    page.get_by_label("resource").select_option("nvidia.com/gpu")
    page.mouse.move(box["x"] + found["b0"][0], box["y"] + found["b0"][1])
    claim("also of GPUs, and of nodes that have none",
          await_true(lambda: "b0: none of nvidia.com/gpu" in tip.inner_text()), tip.inner_text())
    claim("the resource is in the address", "resource=nvidia.com%2Fgpu" in page.url, page.url)
    page.mouse.click(box["x"] + found["a0"][0], box["y"] + found["a0"][1])
    page.get_by_role("heading", name="Node a0").wait_for()
    claim("a click opens the node", page.url.endswith("#/nodes/a0"), page.url)


def shows_one(visit):
    page = visit.open("nodes/a0")
    claim("a node shows its groups", visit.sees("default/"), visit.text())
    row = page.locator("tbody tr", has_text="default/").first
    claim("and how much of it each has", re.search(r"running.*\d of \d", row.inner_text(), re.S), row.inner_text())
    page.get_by_role("link", name="Show it in the timeline").click()
    page.locator("canvas").wait_for()
    claim("a link leads to it in the timeline", "find=a0" in page.url, page.url)
    page.go_back()
    page.get_by_role("heading", name="Node a0").wait_for()
    visit.open("nodes/none")
    claim("a node that is not there says so", visit.sees('no node named "none"'), visit.text())


def shows_its_inside(visit):
    aligned = json.loads(job("aligned", 1, seconds=100))
    aligned["spec"]["template"]["metadata"]["labels"]["fluxnetes.align"] = "numa"
    aligned["spec"]["template"]["spec"]["containers"][0]["resources"] = {
        "requests": {"cpu": "1", "nvidia.com/gpu": "1"}, "limits": {"cpu": "1", "nvidia.com/gpu": "1"}}
    submit(json.dumps(aligned))
    page = visit.open("groups/default/aligned")
    claim("a pod's parts of its node are in the page of its group",
          visit.sees("has inside") and visit.sees("/gpu"), visit.text())
    page.locator("tbody a[href*='nodes/']").first.click()
    picture = page.get_by_role("img", name=re.compile("The inside of the node: [1-9]"))
    picture.wait_for()
    held = picture.locator(".part[title*='default/aligned']")
    claim("the node's inside is drawn, with the group in it",
          held.count() == 2 and picture.locator(".part").count() == 10
          and picture.locator(".domain").count() == 3, picture.inner_text())
    boxes = {each.evaluate("each => each.closest('.domain').firstChild.textContent") for each in held.all()}
    claim("its core and its GPU are in one domain", len(boxes) == 1, str(boxes))
    fluxnetes("cancel", "group", "aligned", "--reason", "seen")
    claim("and leave it when the group ends, without a reload",
          await_true(lambda: page.locator(".part[title*='default/aligned']").count() == 0), visit.text())


def make(plural, kind, name, spec, where=""):
    """An object of resource.k8s.io in the simulated cluster, as its API takes it."""
    subprocess.run(
        ["curl", "-sfS", "-o", "/dev/null", "--unix-socket", os.environ["SCRATCH"] + "/cluster.sock",
         "-H", "Content-Type: application/json", "-d", json.dumps({
             "apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}),
         f"http://cluster/apis/resource.k8s.io/v1/{where}{plural}"], check=True, timeout=60)


def shows_devices(visit):
    driver = "gpu.example.com"
    make("deviceclasses", "DeviceClass", driver,
         {"selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}]})
    make("resourceslices", "ResourceSlice", "a3-gpus", {
        "driver": driver, "nodeName": "a3",
        "pool": {"name": "a3", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"gpu-{i}", "attributes": {"resource.kubernetes.io/numaNode": {"int": 1}}}
                    for i in range(2)]})
    make("resourceclaimtemplates", "ResourceClaimTemplate", "gpu", {"spec": {"devices": {"requests": [
        {"name": "gpu", "exactly": {"deviceClassName": driver}}]}}}, "namespaces/default/")
    claims = json.loads(job("claims", 1, seconds=100))
    template = claims["spec"]["template"]
    template["metadata"]["labels"]["fluxnetes.align"] = "numa"
    template["spec"]["resourceClaims"] = [{"name": "gpus", "resourceClaimTemplateName": "gpu"}]
    submit(json.dumps(claims))
    page = visit.open("groups/default/claims")
    claim("the page of a group names the devices of its pods",
          visit.sees(f"{driver}/a3/gpu-0") and visit.sees("numa1/"), visit.text())
    page.locator("tbody a[href*='nodes/a3']").first.click()
    claim("a node counts devices of claims by driver", visit.sees(f"{driver}: 1 of 2"), visit.text())
    claim("and names them beside the group that has them", await_true(
        lambda: f"{driver}/a3/gpu-0" in page.locator("tbody tr", has_text="default/claims").inner_text()),
          visit.text())
    page = visit.open("timeline?by=group&find=claims")
    page.locator("canvas").wait_for()
    claim("the group has a bar", await_true(lambda: page.evaluate(PAINTED, RUNNING)))
    x, y = page.evaluate(PAINTED, RUNNING)
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + x + 3, box["y"] + y + 3)
    tip = page.locator(".tip span")
    claim("and its tip names its devices",
          await_true(lambda: f", with {driver}/a3/gpu-0" in tip.inner_text()), tip.inner_text())
    visit.open("nodes/a3")
    claim("the node counts them again", visit.sees(f"{driver}: 1 of 2"), visit.text())
    fluxnetes("cancel", "group", "claims", "--reason", "seen")
    claim("they leave it when the group ends, without a reload", visit.sees(f"{driver}: 0 of 2"), visit.text())


def drains(visit):
    page = visit.open("nodes")
    page.get_by_label("Choose a0").check()
    page.get_by_label("Choose a1").check()
    page.get_by_role("button", name="Drain 2 nodes…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("It closes 2 nodes").wait_for()
    claim("draining names what it hits", "a0, a1" in dialog.inner_text() and
          re.search(r"\d groups? need not have ended by then.*default/", dialog.inner_text()), dialog.inner_text())
    dialog.get_by_label("Until").fill("tomorrow")
    claim("a wrong time says what would be right",
          await_true(lambda: "2026-01-31T12:00:00Z" in dialog.locator(".problem").inner_text()), dialog.inner_text())
    claim("and what was typed stays", dialog.get_by_label("Until").input_value() == "tomorrow")
    dialog.get_by_label("Until").fill("+2h")
    dialog.get_by_label("Reason").fill(EVIL)
    dialog.get_by_text("It closes 2 nodes").wait_for()
    dialog.get_by_role("button", name="Drain").click()
    claim("the maintenance is listed, its reason as it was typed", visit.sees(EVIL), visit.text())
    claim("and nothing of it becomes part of the page",
          page.locator("#evil").count() == 0 and page.title() != "owned", page.title())
    listed = fluxnetes("get", "maintenance")
    claim("the command line lists it too", "a0,a1" in listed, listed)

    visit.open("nodes/a1")
    page.get_by_role("button", name=re.compile("Take back… maintenance")).click()
    dialog = page.get_by_role("dialog")
    claim("taking it back names its nodes", "a0, a1" in dialog.inner_text(), dialog.inner_text())
    dialog.get_by_role("button", name="Take back").click()
    claim("and it is gone", visit.sees("None is announced"), visit.text())

    page = visit.open("nodes")
    page.get_by_role("button", name="Announce maintenance…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Nodes by name").fill("zone=west")
    dialog.get_by_label("From").fill("+3h")
    claim("nodes are named by a label too", await_true(lambda: "It closes 4 nodes" in dialog.inner_text()),
          dialog.inner_text())
    page.keyboard.press("Escape")
    claim("Escape leaves all as it is", "west" not in fluxnetes("get", "maintenance"))


def viewer(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    visit.page.route("**/GetCaller", lambda route: route.fulfill(json={"name": "eve", "role": "ROLE_VIEWER"}))
    visit.open("nodes")
    visit.page.reload()
    line_of(visit.page, "a0").wait_for()
    claim("who may only look is offered no drain", visit.page.get_by_role("checkbox").count() == 0 and
          visit.page.get_by_role("button", name=re.compile("maintenance|Drain")).count() == 0, visit.text())
    visit.close()


def check(browser):
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    lists_nodes(visit)
    has_a_heat_map(visit)
    shows_one(visit)
    shows_its_inside(visit)
    shows_devices(visit)
    drains(visit)
    claim("nothing fails in the pages of nodes", visit.errors == [], str(visit.errors))
    visit.close()
    fluxnetes("undrain", "b3")
    viewer(browser)
    for scheme in ("light", "dark"):
        for width in (360, 2560):
            for route in ("nodes", "nodes/a0"):
                visit = Visit(browser, one_time_link(), color_scheme=scheme, viewport={"width": width, "height": 800})
                page = visit.open(route)
                visit.sees("Maintenance")
                claim(f"{route} is {scheme} and no wider than {width} pixels",
                      page.evaluate("document.documentElement.scrollWidth") <= width)
                visit.close()
