"""The accounts: the tree, and a change that shows its difference first."""

from support import Visit, claim, fluxnetes, one_time_link


def check(browser):
    fluxnetes("account", "create", "science", "quota=cpu=40")
    fluxnetes("account", "create", "physics", "parent=science", "weight=2")
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    page = visit.open("accounts")
    row = page.locator("tbody tr", has=page.get_by_role("rowheader", name="science", exact=True))
    row.wait_for()
    claim("an account says what it may hold", "cpu 40" in row.inner_text(), row.inner_text())
    page.get_by_role("button", name="Set physics…").click()
    page.get_by_label("weight").fill("-1")
    page.get_by_role("button", name="Show the difference").click()
    claim("a wrong value is refused in words", visit.sees("'-1' is not allowed"), visit.text())
    claim("and stays as it was typed", page.get_by_label("weight").input_value() == "-1")
    page.get_by_label("weight").fill("3")
    page.get_by_role("button", name="Show the difference").click()
    change = page.get_by_role("dialog").get_by_role("row", name="weight")
    change.wait_for()
    claim("the difference is shown first", change.inner_text().split() == ["weight", "2", "3"],
          change.inner_text())
    claim("and nothing is changed yet", '"weight": 2' in fluxnetes("get", "accounts", "physics", "-o", "json"))
    page.get_by_label("Reason").fill("a new team")
    page.get_by_role("button", name="Change", exact=True).click()
    page.get_by_role("dialog").wait_for(state="hidden")
    claim("then it is changed", '"weight": 3' in fluxnetes("get", "accounts", "physics", "-o", "json"))
    claim("nothing fails in the page of accounts", visit.errors == [], str(visit.errors))
    visit.close()
