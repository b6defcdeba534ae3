"""What an operator, a user of namespaces and a viewer see and are offered, as a proxy
says who they are; and that the server refuses what a page does not offer."""

import json
import os
import pathlib
import urllib.error
import urllib.request

from other_server import OtherServer
from support import Visit, await_true, claim

SECRET = "a secret of the proxy alone"
# Buttons of each page that change something, by the least role that has them; None: no
# button, the page only shows.
OFFERED = {
    "groups/mine/held": ("user", "Release…", "Priority…", "Cancel…"),
    "groups/others/held": ("operator", "Release…", "Priority…", "Cancel…"),
    "queues": ("operator", "Pause…", "Set…"),
    "nodes": ("operator", "Announce maintenance…"),
    "nodes/a0": ("operator", "Drain…"),
    "accounts": ("operator", "Set…"),
    "jobs": ("operator", "Retry…"),
    "what-if?namespace=mine": ("user", "Submit…"),
}
READ = {
    "groups/mine/held": "What happened", "groups/others/held": "What happened", "queues": "settings",
    "nodes": "a0", "nodes/a0": "labels", "accounts": "team", "jobs": "cleanup",
    "what-if?namespace=mine": "Simulate", "overview": "Next starts", "timeline": "equal rows",
    "history": "How far", "audit": "Audit", "system": "Replicas",
}
POD = """{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulerName: fluxnetes,
  containers: [{name: main, image: debian}]}}"""
# A change of each kind, and the least role that may make it.
CHANGES = {
    "HoldGroup": ("user", {"namespace": "mine", "name": "held"}),
    "ReleaseGroup": ("user", {"namespace": "mine", "name": "held"}),
    "SetPriority": ("user", {"namespace": "mine", "name": "held", "priority": -3}),
    "CancelGroup": ("operator", {"namespace": "others", "name": "held"}),
    "ChangeGroups": ("operator", {"action": "GROUP_ACTION_HOLD", "ids": ["2"]}),
    "Submit": ("operator", {"manifests": POD, "namespace": "others", "dryRun": True}),
    "SetQueue": ("operator", {"name": "default", "settings": {"paused": "false"}}),
    "SetAccount": ("operator", {"name": "team", "settings": {"weight": "2"}}),
    "DrainNodes": ("operator", {"nodes": ["a0"], "from": "+1h"}),
    "UndrainNodes": ("operator", {"id": "99"}),
    "ChangeJobs": ("operator", {"action": "JOB_ACTION_RETRY", "ids": ["1"]}),
    "SetPool": ("operator", {"name": "licences", "total": "1"}),
    "DeletePool": ("operator", {"name": "licences"}),
}
RANK = {"viewer": 0, "user": 1, "operator": 2}
NAMES = {"viewer": "eve", "user": "uma", "operator": "ops"}


def headers(role):
    return {"X-Forwarded-User": NAMES[role], "X-Proxy-Secret": SECRET}


def status_of(server, role, method, request):
    asked = urllib.request.Request(
        f"{server.base}fluxnetes.v1.Scheduler/{method}", data=json.dumps(request).encode(),
        headers={"Content-Type": "application/json", **headers(role)})
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read()).get("code", "")


def looks(browser, server, role):
    visit = Visit(browser, extra_http_headers=headers(role))
    page = visit.page
    page.goto(server.base)
    claim(f"a {role} is let in by name", visit.sees(f"{NAMES[role]} ({role})"), visit.text())
    claim(f"and a {role} is offered no way to sign out here", page.get_by_title("Sign out").count() == 0)
    for route, there in READ.items():
        page.goto(f"{server.base}#/{route}")
        if not visit.sees(there):
            claim(f"a {role} sees {route}", False, visit.text())
            continue
        least, *buttons = OFFERED.get(route, ("operator",))
        may = RANK[role] >= RANK[least]
        found = [each for each in buttons if page.locator("main").get_by_text(each, exact=False).count() > 0]
        right = await_true(lambda: all(
            (page.locator("main").get_by_text(each, exact=False).count() > 0) == may for each in buttons), 10)
        claim(f"a {role} is offered {'' if may else 'nothing of '}{', '.join(buttons) or 'nothing'} in {route}",
              right, f"{found}: {visit.text()}")
    claim(f"nothing fails for a {role}", visit.errors == [], str(visit.errors))
    visit.close()


def changes(server):
    raised = {"namespace": "mine", "name": "held", "priority": 3}
    claim("a user may lower a priority, not raise it",
          status_of(server, "user", "SetPriority", raised) == (403, "permission_denied"))
    for method, (least, request) in CHANGES.items():
        for role in ("viewer", "user", "operator"):
            status, code = status_of(server, role, method, request)
            refused = status == 403 and code == "permission_denied"
            claim(f"{method} is {'not ' if RANK[role] >= RANK[least] else ''}refused to a {role} by the server",
                  refused == (RANK[role] < RANK[least]), f"{status} {code}")


def check(browser):
    scratch = os.environ["SCRATCH"]
    pathlib.Path(f"{scratch}/secret").write_text(SECRET, encoding="utf-8")
    pathlib.Path(f"{scratch}/roles").write_text(json.dumps([
        {"name": "ops", "role": "operator"},
        {"name": "uma", "role": "user", "namespaces": ["mine"]}]), encoding="utf-8")
    server = OtherServer("roles", web={"identity": "proxy", "proxySecret": f"{scratch}/secret"},
                         grpc={"access": f"{scratch}/roles"})
    try:
        for number, namespace in ((1, "mine"), (2, "others")):
            server.sql("INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, priority,"
                       " state, phase, shape, reason, submitted_at, promoted_at) VALUES"
                       f" ({number}, '{namespace}', 'held', 1, 'default', 0, 'pending', 'held', 1, 'held', now(), now())")
        server.run("account", "create", "team")
        server.sql("INSERT INTO jobs (kind, queue, args) VALUES ('cleanup', 'nobody', '{}')")
        for role in RANK:
            looks(browser, server, role)
        changes(server)
    finally:
        server.stop()
