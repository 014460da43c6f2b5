"""Uses the page of a traffic inspector as a person does, with the mouse and with the keyboard, and looks at it.

usage: inspector-page.py PICTURES URL

The page shows five or more calls: one whose URL contains "orders" and that failed, one with a redirect, and one whose response contains
HTML. When the script prints "cleared", one more call has to be made. At 360 and 1280 px, light and dark, the list and an opened call are
looked at as page-screenshots.py does.

It ends with status 1 if the page has a fault or does something else.
"""

import importlib
import os
import sys

from chromium import chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

checks = importlib.import_module("page-screenshots")


class Page:
    def __init__(self, browser, url):
        self.browser = browser
        browser.get(url)
        self.until(lambda: len(self.rows()) >= 5, "five calls")

    def until(self, condition, what):
        WebDriverWait(self.browser, 20, 0.02).until(lambda _: condition(), f"there is no sign of {what}")

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def rows(self):
        """The calls that are shown."""
        return self.browser.find_elements(By.CSS_SELECTOR, "#calls > li:not([hidden]) > .call")

    def row(self, text):
        return next(row for row in self.rows() if text in row.text)

    def state(self):
        return self.find("#state").text

    def press(self, *keys):
        self.browser.switch_to.active_element.send_keys(*keys)

    def focused(self):
        return self.browser.switch_to.active_element


def expect(condition, what):
    if not condition:
        sys.exit(f"it is not so that {what}")


def search(page):
    count = len(page.rows())
    page.find("body").send_keys("/")
    expect(page.focused().get_attribute("id") == "search", "the key / leads to the search")
    page.press("ORDERS 409")
    expect([row.text for row in page.rows() if "orders" not in row.text] == [], "only matching calls are shown")
    expect(len(page.rows()) == 1 and "1 shown" in page.state(), "one call matches")
    page.press(Keys.CONTROL, "a")
    page.press(Keys.DELETE)
    expect(len(page.rows()) == count, "all calls are shown again")
    page.press("no such words")
    expect(page.rows() == [], "nothing matches other words")
    page.press(Keys.CONTROL, "a")
    page.press("redirectURL")
    expect(page.rows() == [], "the names of the page's own data are not searched")
    page.press(Keys.CONTROL, "a")
    page.press('"name":"<b>')
    expect(["/users" in row.text for row in page.rows()] == [True], "a text with quotation marks is found in a body")
    page.press(Keys.CONTROL, "a")
    page.press(Keys.DELETE)
    failed = page.find("#failed")
    failed.click()
    expect(0 < len(page.rows()) < count, "only failures are shown")
    expect(failed.get_attribute("aria-pressed") == "true", "the button is pressed")
    failed.click()


def keyboard(page):
    """Opens calls by the keyboard."""
    rows = page.rows()
    page.browser.execute_script("arguments[0].focus()", rows[0])
    page.press(Keys.ARROW_DOWN)
    expect(page.focused() == rows[1], "the arrow leads to the next call")
    page.press(Keys.ARROW_UP)
    page.press(Keys.ENTER)
    expect(rows[0].get_attribute("aria-expanded") == "true", "the call is open")
    panel = page.find(f"#{rows[0].get_attribute('aria-controls')}")
    expect(panel.is_displayed() and panel.get_attribute("role") == "region", "the details are shown")
    page.press(Keys.TAB)
    expect(page.focused().tag_name == "summary", "the next stop is in the details")
    page.press(Keys.ENTER)
    expect(page.focused().find_element(By.XPATH, "..").get_attribute("open") is not None, "the section is open")
    page.press(Keys.ESCAPE)
    expect(page.focused() == rows[0] and not panel.is_displayed(), "Escape closes the details")


def details(page):
    """Looks for what a call with a redirect, and one with HTML in its response, show."""
    row = page.row("attempts")
    row.click()
    text = page.find(f"#{row.get_attribute('aria-controls')}").text
    for part in ["Attempt 1 of 2", "Attempt 2 of 2", "redirects to", "Changes by interceptors", "new connection"]:
        expect(part in text, f"the details contain {part}")
    row.click()
    row = page.row("/users")
    row.click()
    panel = page.find(f"#{row.get_attribute('aria-controls')}")
    expect("<b>" in panel.text, "HTML is shown as text")
    expect("Ada\\u{202E}" in panel.text, "characters that change the direction of text are visible")
    expect(panel.find_elements(By.CSS_SELECTOR, "b") == [], "HTML is not interpreted")
    expect("12345678901234567890" in panel.text, "numbers keep their digits")
    page.browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardSanitizedWrite", "clipboardReadWrite"]})
    panel.find_element(By.CSS_SELECTOR, ".actions button").click()
    page.until(lambda: "copied" in page.state(), "the copied command")
    copied = page.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0], arguments[0])")
    expect(str(copied).startswith("curl "), f"the command was copied, and not {copied}")
    row.click()
    har = page.browser.execute_async_script("fetch('traffic.har').then((file) => file.json()).then(arguments[0], arguments[0])")
    expect(har.get("log", {}).get("version") == "1.2", "the HAR file can be loaded")


def clear(page):
    page.find("#clear").click()
    page.until(lambda: page.rows() == [] and page.find("#empty").is_displayed(), "an empty list")
    print("cleared", flush=True)
    page.until(lambda: len(page.rows()) == 1, "a new call")
    page.until(lambda: "1 call" in page.state(), "the number of calls")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pictures, url = sys.argv[1:]
    os.makedirs(pictures, exist_ok=True)
    faults, count = [], 0
    for scheme in ["light", "dark"]:
        with chromium(1280, 900, dark=scheme == "dark") as browser:
            page = Page(browser, url)
            for size in checks.SIZES:
                checks.set_size(browser, *size)
                for name, wanted in [("traffic", None), ("traffic-call", "attempts")]:
                    row = page.row(wanted) if wanted else None
                    if row:
                        row.click()
                    faults += checks.inspect(browser, name, size, scheme, pictures)
                    count += 1
                    if row:
                        row.click()
            if scheme == "dark":
                checks.set_size(browser, 1280, 900)
                search(page)
                keyboard(page)
                details(page)
                clear(page)
    checks.end(faults, count, pictures)


if __name__ == "__main__":
    main()
