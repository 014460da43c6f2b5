#!/usr/bin/env python3
"""Passes token requests of a fleet to Glewlwyd, records them, and can hold one at an exact moment.

    fleet-proxy.py COOKIES

COOKIES is the file with the cookies of a signed-in user. Runs in the network namespace of Glewlwyd, accepts requests on
10.77.0.1:8080, and names their senders by the header X-Member. Requests reach Glewlwyd one at a time, in the order of their arrival.

Input                   Output
                        arrived MEMBER                      a refresh has arrived
                        answered MEMBER STATUS TOKEN        Glewlwyd has responded; TOKEN identifies the new access token, or is -
                        relayed MEMBER                      the response has been sent to the member
hold arrival            held MEMBER                         the next refresh is not passed on
hold answer             held MEMBER                         the next response with status 200 is not sent to the member
continue                                                    the held request or response continues
drop                    dropped MEMBER                      its connection is closed instead
sign-in                 signed-in TOKEN JSON                a new login, and its tokens without spaces
sync N                  sync N
"""
import asyncio, base64, hashlib, json, os, sys, urllib.parse

SERVER, CLIENT, CALLBACK = "/api/oidc", "pub", "http://127.0.0.1:8765/cb"


def say(*words):
    print(*words, flush=True)


def fingerprint(body):
    token = json.loads(body).get("access_token") if body else None
    return hashlib.sha256(token.encode()).hexdigest()[:16] if token else "-"


async def read_message(reader):
    """Returns the first line, the headers and the body of a message, whose length must be stated."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in head[1:] if line)}
    return head[0], headers, await reader.readexactly(int(headers.get("content-length", 0)))


async def ask(method, path, body=b"", **headers):
    """Sends a request to Glewlwyd, and returns the status, headers and body of the response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", 4593)
    headers |= {"Host": "localhost:4593", "Content-Length": str(len(body)), "Connection": "close"}
    lines = [f"{method} {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join(lines + ["", ""]).encode() + body)
    line, headers, body = await asyncio.wait_for(read_message(reader), 30)
    writer.close()
    return int(line.split()[1]), headers, body


async def request_tokens(**fields):
    body = urllib.parse.urlencode({"client_id": CLIENT} | fields).encode()
    return await ask("POST", f"{SERVER}/token", body, **{"Content-Type": "application/x-www-form-urlencoded"})


async def sign_in(cookies):
    """Signs the user in with an authorization code and PKCE (RFC 7636), and returns the token response."""
    with open(cookies) as lines:
        fields = [line.rstrip("\n").split("\t") for line in lines]
    cookie = "; ".join(f"{field[5]}={field[6]}" for field in fields if len(field) == 7)
    verifier = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = urllib.parse.urlencode({
        "response_type": "code", "client_id": CLIENT, "redirect_uri": CALLBACK, "scope": "openid api", "state": "s",
        "nonce": "n", "code_challenge": challenge, "code_challenge_method": "S256", "g_continue": "",
    })
    _, headers, _ = await ask("GET", f"{SERVER}/auth?{query}", Cookie=cookie)
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(headers["location"]).query)["code"][0]
    status, _, body = await request_tokens(
        grant_type="authorization_code", redirect_uri=CALLBACK, code=code, code_verifier=verifier
    )
    assert status == 200, status
    return body


class Proxy:
    def __init__(self):
        self.turn = asyncio.Lock()
        self.moment = None  # the moment at which the next request is held
        self.decision = None  # the future that decides what happens to the held request

    async def hold(self, moment, member):
        """Waits for a decision if a request is to be held now. Returns whether it continues."""
        if self.moment != moment:
            return True
        self.moment, self.decision = None, asyncio.get_running_loop().create_future()
        say("held", member)
        continues = await self.decision
        if not continues:
            say("dropped", member)
        return continues

    async def serve(self, reader, writer):
        try:
            _, headers, body = await read_message(reader)
            member = headers["x-member"]
            fields = dict(urllib.parse.parse_qsl(body.decode()))
            say("arrived", member)
            if not await self.hold("arrival", member):
                return
            async with self.turn:
                fields.pop("client_id")
                status, headers, body = await request_tokens(**fields)
            say("answered", member, status, fingerprint(body) if status == 200 else "-")
            if status == 200 and not await self.hold("answer", member):
                return
            writer.write(
                f"HTTP/1.1 {status} -\r\nContent-Type: {headers.get('content-type', 'application/json')}\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
            )
            await writer.drain()
            say("relayed", member)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the member was killed
        finally:
            writer.close()

    async def obey(self, line):
        match line.split():
            case ["hold", moment]:
                self.moment = moment
            case ["continue" | "drop" as word]:
                self.decision.set_result(word == "continue")
            case ["sign-in"]:
                async with self.turn:
                    body = await sign_in(sys.argv[1])
                response = json.loads(body)
                tokens = {name: response[name] for name in ("access_token", "refresh_token", "expires_in")}
                say("signed-in", fingerprint(body), json.dumps(tokens, separators=(",", ":")))
            case ["sync", number]:
                say("sync", number)


async def main():
    proxy = Proxy()
    server = await asyncio.start_server(proxy.serve, "10.77.0.1", 8080)
    say("ready")
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with server:
        while line := await lines.readline():
            await proxy.obey(line.decode())


asyncio.run(main())
