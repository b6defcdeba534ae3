"""Who is let in, and what is refused."""

from support import (BASE, Visit, await_true, claim, log_says, one_time_link,
                     status_of)


def visit_without_a_cookie(browser):
    visit = Visit(browser, BASE)
    claim("a browser without a cookie is told what to run",
          visit.sees("fluxnetes web"), visit.text())
    claim("and gets no data", "default/" not in visit.text(), visit.text())
    visit.page.goto(BASE + "#link=" + "0" * 64)
    claim("an unknown link says that it is used or too old",
          visit.sees("older than five minutes"), visit.text())
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


def a_link_works_once(browser):
    link = one_time_link()
    visit = Visit(browser, link)
    page = visit.page
    claim("a link opens the pages", visit.sees("default/runs"), visit.text())
    claim("the link's secret leaves the address", "link=" not in page.url, page.url)
    cookie = visit.context.cookies()[0]
    claim("no script reads the cookie, and no other site sends it",
          cookie["httpOnly"] and cookie["sameSite"] == "Strict", str(cookie))
    again = Visit(browser, link)
    claim("a link works once", again.sees("was used before"), again.text())
    again.close()
    page.get_by_title("Sign out").click()
    claim("who signs out sees nothing more",
          visit.sees("You have signed out"), visit.text())
    visit.close()


def check(browser):
    refused()
    visit_without_a_cookie(browser)
    a_link_works_once(browser)
