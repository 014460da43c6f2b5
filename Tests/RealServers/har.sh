# jsonschema and mitmproxy, from PyPI: validate HAR files, and replay them as a server.
mitmproxy=${SALLYPORT_MITMPROXY_VENV:-/tmp/sallyport-mitmproxy}
if [ ! -x "$mitmproxy/bin/mitmdump" ]; then
    python3 -m venv "$mitmproxy"
    "$mitmproxy/bin/pip" install --quiet mitmproxy
fi
python3 -m venv "$directory/har"
"$directory/har/bin/pip" install --quiet --disable-pip-version-check jsonschema==4.26.0
export SALLYPORT_HAR_PYTHON="$directory/har/bin/python" SALLYPORT_HAR_CHECK="$PWD/Tests/RealServers/har-check.py"
export SALLYPORT_MITMDUMP="$mitmproxy/bin/mitmdump"
