"""Opens a URL in a headless Chromium and signs in there, as a person would: the $BROWSER of tests.

usage: browser-login.py URL

It answers what it meets, Glewlwyd's pages and those of the gateway, until a page says that it may be closed:

TEST_BROWSER_USER      the name to sign in with
TEST_BROWSER_PASSWORD  the password
TEST_BROWSER_DECISION  allow, if it is not set, or deny
TEST_BROWSER_CODE      the code that a device shows, where a page asks for it and does not have it
TEST_BROWSER_SCRIPTS   off for a browser without JavaScript
TEST_BROWSER_LOG       a file to write each step to
TEST_BROWSER_PICTURES  a folder to put a screenshot of each step in

It ends with status 0 then; otherwise it says what the last page was, and ends with status 1.
"""

import os
import signal
import sys
import traceback

from chromium import chromium
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

LIMIT = 45
setting = os.environ.get


# Line by line, and held open: a pipe ends when this does.
journal = open(setting("TEST_BROWSER_LOG", os.devnull), "a", encoding="utf-8", buffering=1)


def log(text):
    print(text, file=sys.stderr)
    print(text, file=journal)


class Refused(Exception):
    """The page says that something is wrong."""


class Person:
    """What somebody does on one page after the other."""

    def __init__(self, browser):
        self.browser = browser
        self.pressed = set()
        self.steps = 0

    def place(self):
        """Where the browser is, without the query, which may hold a code."""
        return self.browser.current_url.split("?")[0]

    def note(self, text):
        self.steps += 1
        log(f"{self.steps}. {text} at {self.place()}")
        if folder := setting("TEST_BROWSER_PICTURES"):
            os.makedirs(folder, exist_ok=True)
            self.browser.save_screenshot(f"{folder}/{self.steps:02}.png")

    def find(self, selector):
        """The first element that can be seen and used."""
        elements = self.browser.find_elements(By.CSS_SELECTOR, selector)
        return next((element for element in elements if element.is_displayed() and element.is_enabled()), None)

    def fill(self, element, text):
        element.clear()
        element.send_keys(text)

    def press(self, button, text):
        """Presses a button, once on a page."""
        if button is None or (self.browser.current_url, text) in self.pressed:
            return
        self.pressed.add((self.browser.current_url, text))
        self.note(text)
        button.click()

    def is_done(self, _):
        """Does the next thing that the page asks for, and says whether it is the last page."""
        body = self.browser.find_element(By.TAG_NAME, "body").text
        # Glewlwyd says it so at the end of a device's login.
        if "close this page" in body or "you may close this window" in body:
            self.note("done")
            return True
        problem = self.find(".problem, .alert-danger, .toast:has(.text-danger) .toast-body")
        if problem is not None:
            raise Refused(f"the page at {self.place()} says: {problem.text}")
        self.sign_in()
        self.enter_code()
        self.decide()
        return False

    def sign_in(self):
        password, user = self.find("input[type=password]"), self.find("input[name=username]")
        if password is None or (self.browser.current_url, "sign in") in self.pressed:
            return
        if user is not None:
            self.fill(user, setting("TEST_BROWSER_USER", ""))
        self.fill(password, setting("TEST_BROWSER_PASSWORD", ""))
        if password.get_property("value") == setting("TEST_BROWSER_PASSWORD", ""):
            self.press(self.find("#loginbut, main button[type=submit]"), "sign in")

    def enter_code(self):
        code = self.find("input[name=user_code], .card-body input[placeholder='X1Y2-A3B4']")
        if code is None or (self.browser.current_url, "enter the code") in self.pressed:
            return
        if wanted := setting("TEST_BROWSER_CODE"):
            self.fill(code, wanted)
        self.press(self.find("main button[type=submit], .card-body .btn-primary"), "enter the code")

    def decide(self):
        self.press(self.find(f"button[name=decision][value={setting('TEST_BROWSER_DECISION', 'allow')}]"), "decide")
        # Glewlwyd asks for every scope that has not been granted, and then whether to go on. It may forget what was ticked
        # while it still loads; then all is done again.
        scopes = self.browser.find_elements(By.CSS_SELECTOR, "input[id^=grant-]:not(:checked)")
        for scope in scopes:
            scope.click()
            self.pressed.discard((self.browser.current_url, "grant"))
        grant = self.find(".carousel-item.active .btn-primary:not([type=submit])")
        if grant is not None:
            if not scopes:
                self.press(grant, "grant")
        elif self.find(".card-body h3") is not None:
            self.press(self.find(".card-footer .btn-success"), "go on")


def main():
    url = sys.argv[-1]
    if len(sys.argv) != 2 or not url.startswith(("http://", "https://")):
        sys.exit(__doc__)
    # Whatever hangs, the end comes, and takes the browser along.
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("it took too long"))
    signal.alarm(LIMIT + 30)
    try:
        with chromium(1280, 900, scripts=setting("TEST_BROWSER_SCRIPTS") != "off") as browser:
            browser.get(url)
            person = Person(browser)
            wait = WebDriverWait(browser, LIMIT, 0.05, ignored_exceptions=[StaleElementReferenceException])
            try:
                wait.until(person.is_done)
            except TimeoutException:
                text = browser.find_element(By.TAG_NAME, "body").text
                raise Refused(f"there is no way on from {person.place()}, where it says:\n{text}") from None
    except Refused as refused:
        log(str(refused))
        sys.exit(1)
    except Exception:
        log(traceback.format_exc())
        raise


if __name__ == "__main__":
    main()
