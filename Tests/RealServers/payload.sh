# The payload encryption in Python, which shares no code with Sallyport: a server for each curve, and a client of the gateway.
python3 -m venv "$directory/payload"
"$directory/payload/bin/pip" install --quiet --disable-pip-version-check cryptography==50.0.2
export SALLYPORT_PAYLOAD_PYTHON="$directory/payload/bin/python"
export SALLYPORT_PAYLOAD_PEER="$PWD/Tests/RealServers/payload-peer.py"
"$SALLYPORT_PAYLOAD_PYTHON" "$SALLYPORT_PAYLOAD_PEER" vectors --check Docs/payload-encryption-vectors.json
for curve in X25519 P-256; do
    port=$(free_port)
    "$SALLYPORT_PAYLOAD_PYTHON" -B "$SALLYPORT_PAYLOAD_PEER" serve "$port" "$curve" >"$directory/payload-$curve.key" &
    at_exit "kill $!"
    listening "$port"
    variable=SALLYPORT_PAYLOAD_$(echo "$curve" | tr -d -)
    until [ -s "$directory/payload-$curve.key" ]; do sleep 0.1; done
    export "$variable=http://127.0.0.1:$port" "${variable}_KEY=$(cat "$directory/payload-$curve.key")"
done
