"""What one who looks sees of a server that is restarted, of a network that is cut, and
of a session that is over: it is said, the pages go on by themselves, and nothing that
changed meanwhile is missed."""

from other_server import OtherServer, Wire
from support import Visit, claim

LOST = "Changes do not arrive at the moment"
ADD = """INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, priority, state,
  phase, shape, reason, submitted_at, promoted_at)
  VALUES (nextval('group_ids'), 'a', '{name}', 1, 'default', 0, 'pending', 'held', 1, '{why}', now(), now())"""


def add(server, name):
    server.sql(ADD.format(name=name, why="held"))


def change(server, name, why):
    server.sql(f"UPDATE pod_groups SET reason = '{why}' WHERE group_name = '{name}'")


def goes_on(visit, server, what, before, after):
    """Breaks by `before`, heals by `after`: the list says so, and has what came and
    changed meanwhile, without a reload."""
    page = visit.page
    page.evaluate("window.sameDocument = true")
    before()
    claim(f"{what}: the list says that changes do not arrive", visit.sees(LOST), visit.text())
    change(server, "looked-at", f"changed while {what}")
    add(server, f"came-{what.split()[-1]}")
    after()
    page.get_by_text(LOST).wait_for(state="detached")
    claim(f"{what}: a row that changed meanwhile shows it", visit.sees(f"changed while {what}"), visit.text())
    # The server has forgotten the watch if it was down, and the list is read anew; else
    # what came is counted.
    show = page.get_by_role("button", name="– show")
    came = page.get_by_text(f"a/came-{what.split()[-1]}")
    show.or_(came).first.wait_for()
    if came.count() == 0:
        show.click()
    claim(f"{what}: a group that came meanwhile is there", visit.sees(f"a/came-{what.split()[-1]}"), visit.text())
    claim(f"{what}: all in the page that was open, signed in as before",
          page.evaluate("window.sameDocument") is True and "root (operator)" in visit.text(), visit.text())


def fails_and_recovers(visit, server, wire):
    page = visit.page
    wire.cut()
    page.goto(wire.base + "#/queues")
    claim("a page that cannot be read says what to look at", visit.sees("Is the network there"), visit.text())
    page.goto(wire.base + "#/groups/a/looked-at")
    claim("also that of a group", visit.sees("Is the network there"), visit.text())
    wire.mend()
    page.get_by_role("button", name="Try again").click()
    claim("and is there when it is tried again", visit.sees("What happened"), visit.text())
    page.get_by_role("button", name="Hold…").or_(page.get_by_role("button", name="Release…")).first.wait_for()
    page.get_by_role("button", name="Cancel…").click()
    page.get_by_label("Reason").fill("typed before the cut")
    wire.cut()
    page.get_by_role("button", name="Cancel", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Is the network there").wait_for()
    claim("an action that does not reach the server keeps what was typed",
          dialog.get_by_label("Reason").input_value() == "typed before the cut", dialog.inner_text())
    wire.mend()
    page.keyboard.press("Escape")


def session_ends(visit, server):
    page = visit.open_at("groups")
    visit.sees("a/looked-at")
    server.sql("DELETE FROM web_sessions")
    page.get_by_text("You are not let in").wait_for(timeout=60_000)
    claim("a session that is over is said where one looks", "fluxnetes web" in visit.text(), visit.text())
    claim("and nothing of the groups stays to be seen", "looked-at" not in visit.text(), visit.text())


def check(browser):
    server = OtherServer("trouble")
    wire = Wire(server.port)
    try:
        add(server, "looked-at")
        visit = Visit(browser, server.link(wire.base))
        visit.open_at = lambda route: visit.page.goto(f"{wire.base}#/{route}") and visit.page or visit.page
        visit.sees("a/looked-at")
        goes_on(visit, server, "the server is down", server.stop, server.start)
        goes_on(visit, server, "the network is cut", wire.cut, wire.mend)
        fails_and_recovers(visit, server, wire)
        session_ends(visit, server)
        visit.close()
    finally:
        server.stop()
