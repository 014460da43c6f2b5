"""Walks through the pages of a running gateway, takes screenshots of each, and checks how they are laid out.

usage: gateway-pages.py GATEWAY PICTURES

At 360 and 1280 px, light and dark, a person types a wrong password, signs in, and is asked for consent; types a code that no
device shows, then one of a device, denies one and approves another; and follows a link that does not work. Each page is looked
at as page-screenshots.py does.

It ends with status 1 if a page has a fault, or is not the one that comes next.
"""

import importlib
import json
import os
import sys
import urllib.parse
import urllib.request

from chromium import chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

checks = importlib.import_module("page-screenshots")

CALLBACK = "http://127.0.0.1:9/cb"


class Walk:
    """One way through all pages, in a browser that nobody has signed in with."""

    def __init__(self, browser, gateway, look):
        self.browser, self.gateway, self.look = browser, gateway, look

    def open(self, path):
        self.browser.get(self.gateway + path)

    def page(self, name, heading):
        """Looks at the page that is there now."""
        found = self.browser.find_element(By.TAG_NAME, "h1").text
        if heading not in found:
            sys.exit(f"in place of the page {name} there is one that says: {found}")
        self.look(name)

    def fill(self, **fields):
        for name, text in fields.items():
            field = self.browser.find_element(By.NAME, name)
            field.clear()
            field.send_keys(text)

    def send(self, decision=None):
        """Presses the button, and waits for the next page."""
        selector = f"button[value={decision}]" if decision else "main button[type=submit]"
        before = self.browser.find_element(By.TAG_NAME, "html")
        self.browser.find_element(By.CSS_SELECTOR, selector).click()
        WebDriverWait(self.browser, 20, 0.02).until(lambda browser: browser.find_element(By.TAG_NAME, "html") != before)

    def device_code(self):
        form = urllib.parse.urlencode({"client_id": "pub", "scope": "openid email api"}).encode()
        with urllib.request.urlopen(f"{self.gateway}/device_authorization", form) as answer:
            return json.load(answer)["user_code"]

    def all(self):
        query = {
            "response_type": "code", "client_id": "pub", "redirect_uri": CALLBACK, "scope": "openid email api", "state": "s1",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        }
        self.open("/authorize?" + urllib.parse.urlencode(query))
        self.page("live-login", "Sign in")
        self.fill(username="alice", password="wrong")
        self.send()
        self.page("live-login-problem", "Sign in")
        self.fill(password="wonderland")
        self.send()
        self.page("live-consent", "to use your account?")
        self.open("/device")
        self.page("live-device", "Connect a device")
        self.fill(user_code="BCDF-GHJK")
        self.send()
        self.page("live-device-problem", "Connect a device")
        self.open("/device?user_code=" + self.device_code())
        self.page("live-device-code", "Connect a device")
        self.send()
        self.page("live-device-consent", "to use your account?")
        self.send("deny")
        self.page("live-device-denied", "The device is not connected")
        self.open("/device")
        self.fill(user_code=self.device_code())
        self.send()
        self.send("allow")
        self.page("live-device-connected", "The device is connected")
        self.open("/authorize?client_id=nobody")
        self.page("live-bad-link", "This link does not work")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    gateway, folder = sys.argv[1:]
    checks.check_the_checks()
    os.makedirs(folder, exist_ok=True)
    faults, count = [], 0
    for scheme in ["light", "dark"]:
        for size in checks.SIZES:
            with chromium(1280, 900, dark=scheme == "dark") as browser:
                checks.set_size(browser, *size)

                def look(name, browser=browser, size=size, scheme=scheme):
                    nonlocal count
                    faults.extend(checks.inspect(browser, name, size, scheme, folder))
                    count += 1

                Walk(browser, gateway, look).all()
    checks.end(faults, count, folder)


if __name__ == "__main__":
    main()
