"""Takes screenshots of pages at 360 and 1280 px, light and dark, and checks how they are laid out.

usage: page-screenshots.py PICTURES PAGE...

A PAGE is NAME=URL, or a folder with pages in files, NAME.html, each with its policy in NAME.policy. Each is photographed
into the folder PICTURES as NAME-WIDTH-SCHEME.png and looked at: the browser has no complaint of it; it does
not scroll sideways; nothing is cut off, overlaps or leaves the window; on the phone, buttons and inputs are 44 px high or
more and the text of inputs 16 px or more; all text has the contrast of WCAG's level AA; every field has a label; there is
one language, one title, one main part and one heading of the first level; and the keyboard's focus is seen.

It ends with status 1 if a page has a fault, and names each.
"""

import contextlib
import functools
import http.server
import os
import sys
import threading
import urllib.parse
from pathlib import Path

from chromium import chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SIZES = [(360, 740), (1280, 900)]

LAYOUT = r"""
const faults = [];
const fault = (text) => faults.push(text);
const width = document.documentElement.clientWidth;
const narrow = width <= 480;
const name = (element) => {
  const id = element.id ? '#' + element.id : '';
  const words = (element.innerText || element.name || '').trim().slice(0, 30);
  return `<${element.tagName.toLowerCase()}${id}> "${words}"`;
};
const seen = (element) => {
  const box = element.getBoundingClientRect();
  const isClosed = element.closest('details:not([open]) > :not(summary)');
  return box.width > 0 && box.height > 0 && !isClosed && getComputedStyle(element).visibility === 'visible';
};
const all = [...document.body.querySelectorAll('*')].filter((element) => !element.closest('svg') && seen(element));
const controls = all.filter((element) => element.matches('input:not([type=hidden]), button, a, select, textarea'));

// The window.
if (document.documentElement.scrollWidth > width) fault(`it scrolls sideways, to ${document.documentElement.scrollWidth} px`);
for (const element of all) {
  const box = element.getBoundingClientRect();
  if (box.left < -0.5 || box.right > width + 0.5) fault(`${name(element)} leaves the window`);
  if (box.top + scrollY < -0.5) fault(`${name(element)} is above the page`);
  const style = getComputedStyle(element);
  const clips = style.overflowX !== 'visible' && element.tagName !== 'INPUT';
  if (element.tagName !== 'INPUT' && element.scrollWidth > element.clientWidth + 1 && style.display !== 'inline')
    fault(`${name(element)} is wider inside than outside${clips ? ', and cut off' : ''}`);
  if (clips && element.scrollHeight > element.clientHeight + 1) fault(`${name(element)} is cut off at the bottom`);
  // Inline text that runs out of what holds it.
  const parent = element.parentElement.getBoundingClientRect();
  if (box.right > parent.right + 1 || box.left < parent.left - 1) fault(`${name(element)} runs out of its place`);
}

// Boxes that touch: siblings in the flow, and controls with one another.
const overlap = (a, b) => {
  const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
  return Math.min(p.right, q.right) - Math.max(p.left, q.left) > 0.5 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 0.5;
};
const blocks = all.filter((element) => !element.children.length || controls.includes(element));
for (let i = 0; i < blocks.length; i++)
  for (let j = i + 1; j < blocks.length; j++)
    if (!blocks[i].contains(blocks[j]) && !blocks[j].contains(blocks[i]) && overlap(blocks[i], blocks[j]))
      fault(`${name(blocks[i])} overlaps ${name(blocks[j])}`);

// Fingers and eyes.
for (const control of controls) {
  const box = control.getBoundingClientRect();
  if (narrow && box.height < 44) fault(`${name(control)} is ${box.height} px high`);
  if (narrow && box.width < 44) fault(`${name(control)} is ${box.width} px wide`);
  if (control.matches('input') && parseFloat(getComputedStyle(control).fontSize) < 16) fault(`${name(control)} has small text`);
  if (control.matches('input') && !control.labels.length) fault(`${name(control)} has no label`);
  if (control.matches('input') && !control.autocomplete) fault(`${name(control)} has no autocomplete`);
  for (const id of (control.getAttribute('aria-describedby') || '').split(' ').filter(Boolean))
    if (!document.getElementById(id)) fault(`${name(control)} is described by #${id}, which is not there`);
}

// Contrast, by the relative luminance of WCAG 2.
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const rgba = (color) => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const luminance = (color) => {
  const [r, g, b] = color.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};
const ground = (element) => {
  let layers = [];
  for (let place = element; place; place = place.parentElement) layers.push(rgba(getComputedStyle(place).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
};
let lowest = 99;
for (const element of all) {
  const style = getComputedStyle(element);
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (hasText || element.matches('input')) {
    const found = ratio(over(rgba(style.color), ground(element)), ground(element));
    lowest = Math.min(lowest, found);
    const size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    if (found < needed) fault(`${name(element)} has a contrast of ${found.toFixed(2)}`);
    if (size < 14) fault(`${name(element)} has text of ${size} px`);
  }
  if (element.matches('input, button')) {
    const edge = ratio(over(rgba(style.borderTopColor), ground(element.parentElement)), ground(element.parentElement));
    if (edge < 3) fault(`the edge of ${name(element)} has a contrast of ${edge.toFixed(2)}`);
  }
}

// The document.
if (!document.documentElement.lang) fault('it has no language');
if (!document.title) fault('it has no title');
for (const tag of ['main', 'h1']) if (document.querySelectorAll(tag).length !== 1) fault(`it has not one <${tag}>`);
const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
if (new Set(ids).size !== ids.length) fault('an id is there twice');
return [faults, lowest];
"""

# A page with every fault, and what has to be said of it: a check that finds nothing here is broken.
FAULTY = """
<body style="width: 2000px; background: #fff; color: #bbb"><input style="outline: none; height: 20px; font-size: 12px">
<input aria-describedby="nowhere" style="border: 1px solid #eee"><div style="width: 50px; overflow: hidden">unbreakable</div>
<div id="a" style="height: 30px">below</div><div id="a" style="margin-top: -20px">above</div>
<button style="position: fixed; right: -20px; width: 10px">Go</button></body>
"""
FAULTS = [
    "it scrolls sideways", "leaves the window", "cut off", "overlaps", "px high", "px wide", "small text", "no label",
    "no autocomplete", "#nowhere", "has a contrast of", "the edge of", "no language", "no title", "one <main>", "one <h1>",
    "an id is there twice", "the focus on a <input> is not seen",
]

FOCUS = """
const style = getComputedStyle(document.activeElement);
return [document.activeElement.tagName, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2];
"""


def keyboard(browser):
    """Goes through the page by the Tab key."""
    count = len(browser.find_elements(By.CSS_SELECTOR, "input:not([type=hidden]), button"))
    for _ in range(count):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        tag, is_seen = browser.execute_script(FOCUS)
        if tag in ("INPUT", "BUTTON") and not is_seen:
            yield f"the focus on a <{tag.lower()}> is not seen"


def picture(browser, width, height, path):
    """The whole page, however long."""
    whole = browser.execute_script("return document.documentElement.scrollHeight")
    set_size(browser, width, max(whole, height))
    browser.save_screenshot(path)


class Files(http.server.SimpleHTTPRequestHandler):
    """A folder of pages, under their policy."""

    def end_headers(self):
        policy = Path(self.translate_path(self.path)).with_suffix(".policy")
        if policy.is_file():
            self.send_header("Content-Security-Policy", policy.read_text())
        super().end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def addresses(pages):
    """The name and URL of each page."""
    with contextlib.ExitStack() as stack:
        found = []
        for page in pages:
            if "=" in page:
                found.append(page.split("=", 1))
                continue
            handler = functools.partial(Files, directory=page)
            server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            for file in sorted(Path(page).glob("*.html")):
                found.append((file.stem, f"http://127.0.0.1:{server.server_port}/{file.name}"))
        yield found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with addresses(sys.argv[2:]) as pages:
        look(sys.argv[1], pages)


def check_the_checks():
    """Ends the script if a fault goes unseen."""
    with chromium(360, 740) as browser:
        set_size(browser, 360, 740)
        browser.get("data:text/html," + urllib.parse.quote(FAULTY))
        found = "\n".join(browser.execute_script(LAYOUT)[0] + list(keyboard(browser)))
    unseen = [fault for fault in FAULTS if fault not in found]
    if unseen:
        sys.exit(f"these faults are not seen where they are: {', '.join(unseen)}; only\n{found}")


def set_size(browser, width, height):
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def inspect(browser, name, size, scheme, folder):
    """Photographs the page that the browser shows, and looks at it.

    :return: Its faults, each with the name of the page before it.
    """
    width, height = size
    found, lowest = browser.execute_script(LAYOUT)
    picture(browser, width, height, f"{folder}/{name}-{width}-{scheme}.png")
    set_size(browser, width, height)
    found += keyboard(browser)
    # That there is no icon, and that a page which says what is wrong has a status that says so too, is as it should be.
    fine = ("favicon", f"{browser.current_url} - Failed to load resource: the server responded with a status of 400")
    console = [entry["message"] for entry in browser.get_log("browser") if not any(part in entry["message"] for part in fine)]
    found += [f"the console says: {message}" for message in console]
    print(f"{name} at {width} px, {scheme}: lowest contrast {lowest:.2f}, {len(found) or 'no'} faults")
    return [f"{name} at {width} px, {scheme}: {fault}" for fault in found]


def end(faults, count, folder):
    """Says how many pages were looked at, and ends with status 1 if they have faults."""
    print(f"{count} pictures in {folder}")
    if faults:
        sys.exit("\n".join(faults))


def look(folder, pages):
    check_the_checks()
    if not pages:
        sys.exit("there are no pages to look at")
    os.makedirs(folder, exist_ok=True)
    faults, count = [], 0
    for scheme in ["light", "dark"]:
        with chromium(1280, 900, dark=scheme == "dark") as browser:
            for size in SIZES:
                for name, url in pages:
                    set_size(browser, *size)
                    browser.get(url)
                    faults += inspect(browser, name, size, scheme, folder)
                    count += 1
    end(faults, count, folder)


if __name__ == "__main__":
    main()
