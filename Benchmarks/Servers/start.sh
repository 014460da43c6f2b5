# Starts nginx, nghttpd and the server of this package, for `run` to source: exports their addresses, and stops them at its end.
source Servers/nginx.sh

# pin_of FILE: prints the pin of a certificate's key.
pin_of() {
    echo "sha256/$(openssl x509 -in "$1" -pubkey -noout | openssl pkey -pubin -outform der |
        openssl dgst -sha256 -binary | base64)"
}
pin=$(pin_of "$directory/intermediate.pem")

# What is downloaded goes into memory too, where there is such a folder: the disk is none of the clients.
saved=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "$directory")")
endings+=('rm -rf "$saved"')

# A file of a gigabyte that takes no space on the disk, and is in the system's cache once it has been read.
truncate -s 1G "$directory/files/gigabyte"
cat "$directory/files/gigabyte" >/dev/null

sink_port=$(free_port) sink_tls_port=$(free_port) sink_http2_port=$(free_port)
gateway_port=$(free_port)
"$binaries/benchmark-server" "$sink_port" "$sink_tls_port" "$directory/server.pem" "$directory/server.key" &
endings+=("kill $!")
# Its answer to an upload is a file, once the upload has ended.
mkdir "$directory/sink"
echo ok >"$directory/sink/sink"
nghttpd --address=127.0.0.1 --htdocs="$directory/sink" --window-bits=20 --connection-window-bits=22 \
    "$sink_http2_port" "$directory/server.key" "$directory/server.pem" &
endings+=("kill $!")
# The gateway creates an authority for its certificate, and a key of payload encryption.
mkdir -m 700 "$directory/gateway"
"$binaries/sallyport" serve --port "$gateway_port" --ca-file "$directory/gateway/ca.pem" \
    --payload-key "$directory/gateway/payload-key.json" >"$directory/gateway/log" &
endings+=("kill $!")
for port in "$sink_port" "$sink_tls_port" "$sink_http2_port" "$gateway_port"; do
    for _ in $(seq 100); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
        sleep 0.1
    done
done

curl -sf --cacert "$directory/gateway/ca.pem" "https://localhost:$gateway_port/api/v1/payload/keys" \
    >"$directory/gateway/payload-keys.json"
gateway_pin=$(pin_of "$directory/gateway/ca.pem")

export BENCHMARK_SINK="http://127.0.0.1:$sink_port"
export BENCHMARK_SINK_TLS="https://localhost:$sink_tls_port" BENCHMARK_SINK_HTTP2="https://localhost:$sink_http2_port"
export BENCHMARK_PIN="$pin" BENCHMARK_DIRECTORY="$directory"
export BENCHMARK_SAVED="$saved/gigabyte"
export BENCHMARK_GATEWAY="https://localhost:$gateway_port" BENCHMARK_GATEWAY_AUTHORITY="$directory/gateway/ca.pem"
export BENCHMARK_GATEWAY_PIN="$gateway_pin" BENCHMARK_PAYLOAD_KEYS="$directory/gateway/payload-keys.json"
