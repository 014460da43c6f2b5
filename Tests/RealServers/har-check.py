"""Validates a HAR file against the schema of HAR 1.2, and replays it with mitmproxy as a server.

usage: har-check.py FILE MITMDUMP

Each GET of an http URL with a response is requested again, in order, through mitmdump, which refuses requests that are not recorded. Prints JSON:
the problems that the schema finds, the number of entries, the replayed responses, and the status of a request that is not recorded.
"""

import http.client
import json
import pathlib
import subprocess
import socket
import sys
import tempfile
import time
import urllib.parse

import jsonschema

SCHEMA = pathlib.Path(__file__).with_name("har-1.2.schema.json")


def problems(archive):
    """Returns what the schema does not allow, after checking that it finds anything at all."""
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    validator.check_schema(validator.schema)
    faulty = {"log": {"version": "1.2", "creator": {"name": "x"}, "entries": [{"surplus": 1}]}}
    if len(list(validator.iter_errors(faulty))) < 5:
        sys.exit("the schema accepts a faulty file")
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(archive)]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def get(port, url):
    """Returns the status and the body of the proxy's response. A busy mitmdump closes some connections without one."""
    for _ in range(100):
        try:
            return get_once(port, url)
        except (http.client.RemoteDisconnected, ConnectionError):
            time.sleep(0.1)
    return get_once(port, url)


def get_once(port, url):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", url, headers={"Host": urllib.parse.urlsplit(url).netloc})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def replay(file, mitmdump, urls):
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        options = ["server_replay_extra=404", "server_replay_reuse=false", "connection_strategy=lazy", f"confdir={folder}"]
        command = [mitmdump, "--quiet", "--listen-host", "127.0.0.1", "--listen-port", str(port), "--server-replay", file]
        for option in options:
            command += ["--set", option]
        proxy = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for _ in range(300):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                if proxy.poll() is not None:
                    sys.exit(f"mitmdump does not read the file: {proxy.stdout.read()}")
                time.sleep(0.1)
            replayed = [[url, *get(port, url)] for url in urls]
            return replayed, get(port, "http://127.0.0.1:9/not-recorded")[0]
        finally:
            # On a termination signal, mitmdump waits for connections to servers.
            proxy.kill()
            proxy.wait()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    file, mitmdump = sys.argv[1:]
    archive = json.loads(pathlib.Path(file).read_text())
    entries = archive["log"]["entries"]
    # A call that failed has no response, and its status is 0.
    requests = [entry["request"] for entry in entries if entry["response"]["status"] > 0]
    urls = [one["url"] for one in requests if one["method"] == "GET" and one["url"].startswith("http:")]
    replayed, unknown = replay(file, mitmdump, urls)
    print(json.dumps({"problems": problems(archive), "entries": len(entries), "replayed": replayed, "unknown": unknown}))


if __name__ == "__main__":
    main()
