"""A headless Chromium of Debian's, driven by Selenium. Its profile is its own, and gone afterwards."""

import contextlib
import os
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

# Selenium would otherwise look for a browser to download.
os.environ["SE_OFFLINE"] = "true"


@contextlib.contextmanager
def chromium(width, height, scripts=True, dark=False):
    """Runs a browser while a `with` block does."""
    with tempfile.TemporaryDirectory(prefix="sallyport-chromium-", ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in [
            "--headless=new",
            "--no-sandbox",  # Without this, it does not start as root.
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            "--no-proxy-server",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            f"--user-data-dir={profile}",
            f"--window-size={width},{height}",
        ]:
            options.add_argument(argument)
        if keys := os.environ.get("TEST_BROWSER_TRUST"):
            options.add_argument(f"--ignore-certificate-errors-spki-list={keys}")
        if not scripts:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        try:
            browser.set_page_load_timeout(20)
            browser.set_script_timeout(20)
            if dark:
                features = [{"name": "prefers-color-scheme", "value": "dark"}]
                browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            yield browser
        finally:
            browser.quit()
