# mitmproxy, from PyPI: an interceptor whose authority the client trusts, in front of an HTTPS server of Python's.
mitmproxy=${SALLYPORT_MITMPROXY_VENV:-/tmp/sallyport-mitmproxy}
if [ ! -x "$mitmproxy/bin/mitmdump" ]; then
    python3 -m venv "$mitmproxy"
    "$mitmproxy/bin/pip" install --quiet mitmproxy
fi
mkdir "$directory/mitmproxy"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -keyout "$directory/mitmproxy/origin.key" -out "$directory/mitmproxy/origin.pem" 2>/dev/null

port=$(free_port)
python3 - "$port" "$directory/mitmproxy" >"$directory/mitmproxy/origin.log" 2>&1 <<'PYTHON' &
import http.server, ssl, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = b"from the origin"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2] + "/origin.pem", sys.argv[2] + "/origin.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
PYTHON
at_exit "kill $!"
listening "$port"

proxy=$(free_port)
PYTHONUNBUFFERED=1 "$mitmproxy/bin/mitmdump" --mode "reverse:https://127.0.0.1:$port/" --ssl-insecure \
    --listen-host 127.0.0.1 --listen-port "$proxy" --set "confdir=$directory/mitmproxy" --set flow_detail=1 \
    >"$directory/mitmproxy/proxy.log" 2>&1 &
at_exit "kill $!"
listening "$proxy"
export SALLYPORT_MITMPROXY="https://localhost:$proxy" SALLYPORT_MITMPROXY_FILES="$directory/mitmproxy"
