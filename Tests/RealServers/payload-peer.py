"""Payload encryption, as Docs/payload-encryption.md specifies it, with PyPI's cryptography and nothing of Sallyport.

    payload-peer.py serve PORT CURVE     runs a server with a new key, and prints its public key in one line of JSON
    payload-peer.py call URL KEY         sends requests to a gateway, and prints the results in JSON
    payload-peer.py vectors [--check] FILE   writes the test vectors, or checks them
"""

import base64
import hashlib
import hmac
import http.client
import http.server
import json
import os
import struct
import sys
import threading
import urllib.parse

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

LABEL = "sallyport-payload-1"
MEDIA_TYPE = "application/vnd.sallyport.payload"
HANDSHAKE_PATH = "/api/v1/payload/handshake"
REQUEST_FIELDS = [
    "payload-content-type", "authorization", "dpop", "cookie", "idempotency-key", "user-agent", "last-event-id", "prefer",
    "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "upload-offset",
    "upload-complete", "upload-length", "upload-draft-interop-version", "x-http-method-override",
]
RESPONSE_FIELDS = [
    "payload-content-type", "content-range", "content-disposition", "etag", "last-modified", "location", "link",
    "retry-after", "www-authenticate", "authentication-info", "dpop-nonce", "set-cookie", "upload-offset", "upload-complete",
    "upload-length", "upload-limit",
]
SEGMENT = 65536
WINDOW = 1024
LARGEST_COUNTER = 999_999_999_999_999


class Refused(Exception):
    """A message is refused, with a code of the specification."""


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encode(data) != text:
        raise ValueError("not base64url")
    return data


def compact(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def prefixed(data):
    return struct.pack(">I", len(data)) + data


def sha256(data):
    return hashlib.sha256(data).digest()


def hkdf(secret, salt, info):
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=salt, info=info).derive(secret)


def concat_kdf(secret, algorithm, party_u=b"", party_v=b""):
    return sha256(
        b"\x00\x00\x00\x01" + secret + prefixed(algorithm.encode()) + prefixed(party_u) + prefixed(party_v)
        + struct.pack(">I", 256)
    )


# Keys


def generate(curve):
    return x25519.X25519PrivateKey.generate() if curve == "X25519" else ec.generate_private_key(ec.SECP256R1())


def public_members(private):
    if isinstance(private, x25519.X25519PrivateKey):
        return {"kty": "OKP", "crv": "X25519", "x": encode(private.public_key().public_bytes_raw())}
    numbers = private.public_key().public_numbers()
    return {
        "kty": "EC", "crv": "P-256", "x": encode(numbers.x.to_bytes(32, "big")), "y": encode(numbers.y.to_bytes(32, "big")),
    }


def private_members(private):
    if isinstance(private, x25519.X25519PrivateKey):
        number = private.private_bytes_raw()
    else:
        number = private.private_numbers().private_value.to_bytes(32, "big")
    return {**public_members(private), "d": encode(number)}


def private_key(members):
    number = decode(members["d"])
    if members["crv"] == "X25519":
        return x25519.X25519PrivateKey.from_private_bytes(number)
    return ec.derive_private_key(int.from_bytes(number, "big"), ec.SECP256R1())


def thumbprint(members):
    names = ["crv", "kty", "x"] + (["y"] if members["kty"] == "EC" else [])
    return encode(sha256(compact({name: members[name] for name in names})))


def agree(private, public):
    """Returns the shared secret (Z) of a private key and the members of a public key."""
    if isinstance(private, x25519.X25519PrivateKey):
        if public["crv"] != "X25519":
            raise ValueError("another curve")
        return private.exchange(x25519.X25519PublicKey.from_public_bytes(decode(public["x"])))
    if public["crv"] != "P-256":
        raise ValueError("another curve")
    x, y = (int.from_bytes(decode(public[name]), "big") for name in "xy")
    return private.exchange(ec.ECDH(), ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key())


# Handshake


def jwe_seal(header, key, content, nonce=None):
    nonce = nonce or os.urandom(12)
    protected = encode(compact(header))
    sealed = AESGCM(key).encrypt(nonce, content, protected.encode())
    return ".".join([protected, "", encode(nonce), encode(sealed[:-16]), encode(sealed[-16:])])


def jwe_open(text, key):
    protected, encrypted_key, nonce, content, tag = text.split(".")
    if encrypted_key:
        raise ValueError("an encrypted key")
    return json.loads(AESGCM(key).decrypt(decode(nonce), decode(content) + decode(tag), protected.encode()))


def jwe_header(text):
    header = json.loads(decode(text.split(".")[0]))
    if "crit" in header or "zip" in header:
        raise ValueError("an extension")
    return header


class Secrets:
    """The secrets of a handshake, on either side."""

    def __init__(self, static, client, server):
        self.client = client
        self.fixed = concat_kdf(static, LABEL + " es", client.encode(), server.encode())

    def response_key(self, request):
        return hkdf(self.fixed, sha256(request.encode()), (LABEL + " handshake response").encode())

    def session(self, identifier, ephemeral, server_ephemeral, request, response):
        second = concat_kdf(ephemeral, LABEL + " ee", self.client.encode(), server_ephemeral.encode())
        transcript = sha256(sha256(request.encode()) + sha256(response.encode()))
        return Session(identifier, self.fixed + second, transcript)


class Handshake:
    """The client's side of a handshake."""

    def __init__(self, server, private=None, jwe_private=None, nonce=None):
        self.server = server
        self.private = private or generate(server["crv"])
        jwe_private = jwe_private or generate(server["crv"])
        header = {
            "alg": "ECDH-ES", "enc": "A256GCM", "epk": public_members(jwe_private), "kid": thumbprint(server),
            "typ": "payload-handshake-request",
        }
        key = concat_kdf(agree(jwe_private, server), "A256GCM")
        content = compact({"version": 1, "key": public_members(self.private)})
        self.request = jwe_seal(header, key, content, nonce)

    def session(self, response):
        client = thumbprint(public_members(self.private))
        secrets = Secrets(agree(self.private, self.server), client, thumbprint(self.server))
        header = jwe_header(response)
        if [header.get(name) for name in ("alg", "enc", "typ")] != ["dir", "A256GCM", "payload-handshake-response"]:
            raise ValueError("not a response")
        members = jwe_open(response, secrets.response_key(self.request))
        if members["version"] != 1:
            raise ValueError("another version")
        ephemeral = members["key"]
        return secrets.session(
            members["session"], agree(self.private, ephemeral), thumbprint(ephemeral), self.request, response
        )


def answer(request, keys, lifetime=3600, ephemeral=None, identifier=None, nonce=None):
    """Returns the session and the response of the server to the message of a client."""
    try:
        header = jwe_header(request)
    except ValueError:
        raise Refused("invalid_handshake") from None
    private = next((key for key in keys if thumbprint(public_members(key)) == header.get("kid")), None)
    if private is None:
        raise Refused("unknown_key")
    try:
        names = ("alg", "enc", "typ")
        if [header.get(name) for name in names] != ["ECDH-ES", "A256GCM", "payload-handshake-request"]:
            raise ValueError("not a handshake")
        members = jwe_open(request, concat_kdf(agree(private, header["epk"]), "A256GCM"))
        if members["version"] != 1:
            raise ValueError("another version")
        client = members["key"]
        static = agree(private, client)
        ephemeral = ephemeral or generate(client["crv"])
        secrets = Secrets(static, thumbprint(client), header["kid"])
        identifier = identifier or encode(os.urandom(16))
        content = compact(
            {"version": 1, "key": public_members(ephemeral), "session": identifier, "expires_in": lifetime}
        )
        response_header = {"alg": "dir", "enc": "A256GCM", "typ": "payload-handshake-response"}
        response = jwe_seal(response_header, secrets.response_key(request), content, nonce)
        session = secrets.session(
            identifier, agree(ephemeral, client), thumbprint(public_members(ephemeral)), request, response
        )
        return session, response
    except (ValueError, KeyError, TypeError, InvalidTag):
        raise Refused("invalid_handshake") from None


# Messages


def fields_context(fields, names):
    """Returns the bytes for the values of fields, a list of pairs of names and values."""
    context = b""
    for name in names:
        values = [value.strip(" \t") for key, value in fields if key.lower() == name]
        if name == "cookie" and values:
            values = ["; ".join(values)]
        context += struct.pack(">I", len(values)) + b"".join(prefixed(value.encode()) for value in values)
    return context


def lowercase(authority):
    """Returns an authority with the letters of ASCII in lower case. Others, such as the Kelvin sign, are not changed."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in authority)


class Session:
    def __init__(self, identifier, secret, transcript):
        self.identifier = identifier
        self.keys = {
            purpose: hkdf(secret, transcript, f"{LABEL} {purpose}".encode())
            for purpose in ("request head", "request body", "response head", "response body")
        }
        self.counter = 0
        self.accepted = set()
        self.lock = threading.Lock()

    def request_context(self, counter, method, authority, target, has_body, fields):
        parts = [
            LABEL + " request", self.identifier, str(counter), method, lowercase(authority), target,
            "body" if has_body else "no body",
        ]
        return b"".join(prefixed(part.encode()) for part in parts) + fields_context(fields, REQUEST_FIELDS)

    def response_context(self, request_context, status, has_body, fields):
        parts = [
            (LABEL + " response").encode(), sha256(request_context), str(status).encode(),
            b"body" if has_body else b"no body",
        ]
        return b"".join(prefixed(part) for part in parts) + fields_context(fields, RESPONSE_FIELDS)

    def tag(self, kind, context):
        return encode(hmac.digest(self.keys[kind + " head"], context, "sha256"))

    def accept(self, counter):
        """Accepts a counter once."""
        with self.lock:
            highest = max(self.accepted, default=0)
            if counter < 1 or counter in self.accepted or highest - counter >= WINDOW:
                raise Refused("replayed")
            self.accepted.add(counter)
            highest = max(highest, counter)
            self.accepted = {other for other in self.accepted if highest - other < WINDOW}


def body_seal(key, context, content, salt=None, prefix=None):
    salt, prefix = salt or os.urandom(32), prefix or os.urandom(7)
    cipher = AESGCM(hkdf(key, salt, context))
    sealed, start, number = bytes([40]) + salt + prefix, 0, 0
    while True:
        end = min(len(content), start + SEGMENT - 16 - (40 if number == 0 else 0))
        last = end == len(content)
        nonce = prefix + struct.pack(">IB", number, 1 if last else 0)
        sealed += cipher.encrypt(nonce, content[start:end], None)
        if last:
            return sealed
        start, number = end, number + 1


def body_open(key, context, sealed):
    if len(sealed) < 56 or sealed[0] != 40:
        raise Refused("invalid_message")
    salt, prefix = sealed[1:33], sealed[33:40]
    cipher = AESGCM(hkdf(key, salt, context))
    content, start, number = b"", 40, 0
    while True:
        end = min(len(sealed), (number + 1) * SEGMENT)
        last = end == len(sealed)
        nonce = prefix + struct.pack(">IB", number, 1 if last else 0)
        try:
            content += cipher.decrypt(nonce, sealed[start:end], None)
        except (InvalidTag, ValueError):
            raise Refused("invalid_message") from None
        if last:
            return content
        start, number = end, number + 1


def parse_request_seal(text):
    """Returns session, counter and tag of 1;session="…";counter=7;tag="…"."""
    parts = text.split(";")
    try:
        session, counter, tag = parts[1][9:-1], int(parts[2][8:]), parts[3][5:-1]
    except (IndexError, ValueError):
        raise Refused("invalid_message") from None
    if f'1;session="{session}";counter={counter};tag="{tag}"' != text or not 1 <= counter <= LARGEST_COUNTER:
        raise Refused("invalid_message")
    return session, counter, tag


def has_response_body(method, status, fields):
    types = [value for name, value in fields if name.lower() == "content-type"]
    return method != "HEAD" and status not in (204, 304) and types == [MEDIA_TYPE]


# Server


class Server:
    def __init__(self, curve):
        self.keys = [generate(curve)]
        self.sessions = {}

    def handshake(self, message):
        session, response = answer(message, self.keys)
        self.sessions[session.identifier] = session
        return response

    def open(self, method, authority, target, fields, body):
        """Returns the session, the context and the content of a sealed request."""
        seals = [value for name, value in fields if name.lower() == "payload-encryption"]
        if not seals:
            raise Refused("encryption_required")
        identifier, counter, tag = parse_request_seal(seals[0])
        session = self.sessions.get(identifier)
        if session is None:
            raise Refused("unknown_session")
        types = [value for name, value in fields if name.lower() == "content-type"]
        has_body = types == [MEDIA_TYPE]
        context = session.request_context(counter, method, authority, target, has_body, fields)
        if not hmac.compare_digest(tag.encode(), session.tag("request", context).encode()):
            raise Refused("invalid_message")
        session.accept(counter)
        content = body_open(session.keys["request body"], context, body) if has_body else b""
        return session, context, content


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state = None

    def log_message(self, *arguments):
        pass

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return body
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def send(self, status, fields, body):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body)

    def respond(self):
        body = self.read_body()
        state = self.server_state
        try:
            if self.path == HANDSHAKE_PATH:
                response = state.handshake(body.decode())
                return self.send(200, [("Content-Type", "application/jose")], response.encode())
            fields = list(self.headers.items())
            session, context, content = state.open(self.command, self.headers["Host"], self.path, fields, body)
        except Refused as refusal:
            fields = [("Content-Type", "application/json"), ("Payload-Encryption-Error", str(refusal))]
            return self.send(400, fields, compact({"error": str(refusal)}))
        status, kind, payload, others = self.resource(session, content)
        fields = [("Payload-Content-Type", kind)] if kind else []
        fields += others
        if payload:
            fields.append(("Content-Type", MEDIA_TYPE))
        has_body = has_response_body(self.command, status, fields)
        response = session.response_context(context, status, has_body, fields)
        fields.append(("Payload-Encryption", f'1;tag="{session.tag("response", response)}"'))
        sealed = body_seal(session.keys["response body"], response, payload) if payload else b""
        self.send(status, fields, sealed)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = respond

    def resource(self, session, content):
        """Returns status, content type, body and further fields of a resource."""
        path, _, query = self.path.partition("?")
        if path.startswith("/status/"):
            return int(path[8:]), None, b"", [
                ("Location", "/moved"), ("ETag", '"1"'), ("Set-Cookie", "a=1"),
                ("Set-Cookie", "b=2; Expires=Thu, 01 Jan 2037 00:00:00 GMT"),
            ]
        if path == "/bytes":
            count = int(urllib.parse.parse_qs(query)["count"][0])
            return 200, "application/octet-stream", bytes(index % 251 for index in range(count)), []
        if path == "/digest":
            return 200, "text/plain", hashlib.sha256(content).hexdigest().encode(), []
        if path == "/forget":
            del self.server_state.sessions[session.identifier]
            return 200, "text/plain", b"forgotten", []
        echo = {
            "method": self.command, "target": self.path, "type": self.headers.get("Payload-Content-Type"),
            "authorization": self.headers.get("Authorization"), "body": encode(content),
        }
        return 200, "application/json", compact(echo), []


def serve(port, curve):
    state = Server(curve)
    Handler.server_state = state
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(json.dumps(public_members(state.keys[0])), flush=True)
    server.serve_forever()


# Client


class Client:
    def __init__(self, url, key):
        self.address = urllib.parse.urlsplit(url).netloc
        handshake = Handshake(key)
        status, fields, body = self.send("POST", HANDSHAKE_PATH, [("Content-Type", "application/jose")], handshake.request.encode())
        if status != 200:
            raise Refused(dict(fields).get("Payload-Encryption-Error", str(status)))
        self.session = handshake.session(body.decode())

    def send(self, method, target, fields, body):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in fields + ([("Content-Length", str(len(body)))] if body else []):
            connection.putheader(name, value)
        connection.endheaders(body or None)
        response = connection.getresponse()
        result = response.status, response.getheaders(), response.read()
        connection.close()
        return result

    def seal(self, method, target, fields=(), content=b"", kind=None):
        """Returns the fields, the body and the context of a sealed request."""
        fields = list(fields) + ([("Payload-Content-Type", kind)] if kind else [])
        if content:
            fields.append(("Content-Type", MEDIA_TYPE))
        session = self.session
        session.counter += 1
        context = session.request_context(session.counter, method, self.address, target, bool(content), fields)
        tag = session.tag("request", context)
        seal = f'1;session="{session.identifier}";counter={session.counter};tag="{tag}"'
        body = body_seal(session.keys["request body"], context, content) if content else b""
        return fields + [("Payload-Encryption", seal)], body, context

    def open(self, method, response, context):
        """Returns the status and the content of a sealed response, or the code of a refusal."""
        status, fields, body = response
        names = {name.lower(): value for name, value in fields}
        if "payload-encryption" not in names:
            return {"status": status, "refusal": names.get("payload-encryption-error")}
        has_body = has_response_body(method, status, fields)
        response_context = self.session.response_context(context, status, has_body, fields)
        if names["payload-encryption"] != f'1;tag="{self.session.tag("response", response_context)}"':
            raise Refused("invalid_message")
        content = body_open(self.session.keys["response body"], response_context, body) if has_body else b""
        return {"status": status, "type": names.get("payload-content-type"), "body": encode(content)}

    def call(self, method, target, fields=(), content=b"", kind=None):
        fields, body, context = self.seal(method, target, fields, content, kind)
        return self.open(method, self.send(method, target, fields, body), context)


def call(url, key):
    client = Client(url, key)
    results = {
        "get": client.call("GET", "/echo/a%20b?c=d", [("Authorization", "Bearer token")]),
        "post": client.call("POST", "/echo", content=b'{"amount":5}', kind="application/json"),
        "large": client.call("POST", "/echo", content=bytes(index % 251 for index in range(200_000)), kind="text/plain"),
        "head": client.call("HEAD", "/bytes/1000"),
        "empty": client.call("GET", "/status/204"),
        "range": client.call("GET", "/bytes/1000", [("Range", "bytes=10-19")]),
        "missing": client.call("GET", "/nothing-here"),
        "cookies": client.call("GET", "/cookies/set?a=1&b=2", [("Cookie", "c=3; d=4")]),
    }
    fields, body, context = client.seal("POST", "/echo", (), b"once", "text/plain")
    for name in ("once", "replayed"):
        results[name] = client.open("POST", client.send("POST", "/echo", fields, body), context)
    fields, body, context = client.seal("POST", "/echo", (), b"here", "text/plain")
    results["elsewhere"] = client.open("POST", client.send("POST", "/echo/elsewhere", fields, body), context)
    fields, body, context = client.seal("POST", "/echo", (), b"changed", "text/plain")
    body = body[:-1] + bytes([body[-1] ^ 1])
    results["changed"] = client.open("POST", client.send("POST", "/echo", fields, body), context)
    fields, body, context = client.seal("POST", "/echo", (), b"truncated" * 10_000, "text/plain")
    results["truncated"] = client.open("POST", client.send("POST", "/echo", fields, body[:SEGMENT]), context)
    print(json.dumps(results))


# Test vectors


def deterministic(name, count=32):
    return hashlib.shake_256(name.encode()).digest(count)


def vector_key(curve, name):
    seed = deterministic(f"{curve} {name}")
    if curve == "X25519":
        return x25519.X25519PrivateKey.from_private_bytes(seed)
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    return ec.derive_private_key(int.from_bytes(seed, "big") % order, ec.SECP256R1())


EXCHANGES = [
    {
        "counter": 1, "method": "GET", "authority": "api.example.com", "target": "/accounts?limit=2",
        "fields": [["Authorization", "Bearer token"], ["Accept", "application/json"]], "content": None,
        "status": 200, "response_fields": [["Payload-Content-Type", "application/json"], ["ETag", '"7"']],
        "response_content": '{"accounts":[]}',
    },
    {
        "counter": 2, "method": "POST", "authority": "api.example.com:8443", "target": "/payments",
        "fields": [["Payload-Content-Type", "application/json"]], "content": '{"amount":5}',
        "status": 204, "response_fields": [], "response_content": None,
    },
    {
        "counter": 999999999999999, "method": "HEAD", "authority": "api.example.com", "target": "/",
        "fields": [["If-None-Match", '"7"'], ["If-None-Match", ' "8" ']], "content": None,
        "status": 200, "response_fields": [["Content-Type", MEDIA_TYPE], ["Payload-Content-Type", "text/plain"]],
        "response_content": None,
    },
    {
        "counter": 3, "method": "GET", "authority": "api.example.com", "target": "/file",
        "fields": [["Range", "bytes=0-3"]], "content": None, "status": 206,
        "response_fields": [["Payload-Content-Type", "text/plain"], ["Content-Range", "bytes 0-3/10"]],
        "response_content": "0123",
    },
    {
        "counter": 4, "method": "PATCH", "authority": "api.example.com", "target": "/all-fields",
        "fields": [[name, f"the {name}"] for name in REQUEST_FIELDS] + [["Cookie", "a=1"], ["Range", ""]],
        "content": "0123", "status": 200,
        "response_fields": [[name, f"the {name}"] for name in RESPONSE_FIELDS] + [["Set-Cookie", "a=1, b=2"], ["Link", ""]],
        "response_content": "4567",
    },
]


def vector(curve):
    server, client, ephemeral, jwe = (vector_key(curve, name) for name in ("server", "client", "ephemeral", "jwe"))
    handshake = Handshake(public_members(server), client, jwe, deterministic("request nonce", 12))
    session, response = answer(
        handshake.request, [server], 3600, ephemeral, encode(deterministic("session", 16)),
        deterministic("response nonce", 12),
    )
    if handshake.session(response).keys != session.keys:
        raise AssertionError("both sides derive the same keys")
    exchanges = []
    for number, case in enumerate(EXCHANGES):
        fields = case["fields"] + ([["Content-Type", MEDIA_TYPE]] if case["content"] else [])
        context = session.request_context(
            case["counter"], case["method"], case["authority"], case["target"], bool(case["content"]), fields
        )
        response_fields = case["response_fields"] + ([["Content-Type", MEDIA_TYPE]] if case["response_content"] else [])
        has_body = has_response_body(case["method"], case["status"], response_fields)
        response_context = session.response_context(context, case["status"], has_body, response_fields)

        def sealed(kind, context, content):
            if not content:
                return None
            salt, prefix = deterministic(f"{kind} salt {number}"), deterministic(f"{kind} prefix {number}", 7)
            return encode(body_seal(session.keys[kind + " body"], context, content.encode(), salt, prefix))

        tag = session.tag("request", context)
        exchanges.append({
            **case, "fields": fields, "response_fields": response_fields,
            "context": encode(context),
            "payload_encryption": f'1;session="{session.identifier}";counter={case["counter"]};tag="{tag}"',
            "body": sealed("request", context, case["content"]),
            "response_context": encode(response_context),
            "response_payload_encryption": f'1;tag="{session.tag("response", response_context)}"',
            "response_body": sealed("response", response_context, case["response_content"]),
        })
    return {
        "curve": curve, "server_key": private_members(server), "client_ephemeral_key": private_members(client),
        "server_ephemeral_key": private_members(ephemeral), "handshake_request": handshake.request,
        "handshake_response": response, "session": session.identifier,
        "keys": {name: encode(key) for name, key in session.keys.items()}, "exchanges": exchanges,
    }


def vectors(file, check):
    text = json.dumps([vector("X25519"), vector("P-256")], indent=2) + "\n"
    if check:
        with open(file, encoding="utf-8") as stored:
            if stored.read() != text:
                sys.exit(f"{file} differs from the vectors of this implementation")
    else:
        with open(file, "w", encoding="utf-8") as stored:
            stored.write(text)


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "serve":
        serve(int(rest[0]), rest[1])
    elif command == "call":
        call(rest[0], json.loads(rest[1]))
    elif command == "vectors":
        vectors(rest[-1], "--check" in rest)
