# Starts nginx, nghttpd and the server of this package, for `run` to source: exports where they are, and stops them at its end.
directory=$(mktemp -d)
chmod 755 "$directory"
mkdir "$directory/files"
endings=()
finish() {
    for ending in "${endings[@]}"; do eval "$ending" 2>/dev/null || true; done
    rm -rf "$directory"
}
trap finish EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# certificate NAME ISSUER EXTENSION…: makes NAME.key and NAME.pem, signed by ISSUER.
certificate() {
    local name=$1 issuer=$2
    shift 2
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=Sallyport benchmarks $name" \
        -keyout "$directory/$name.key" -out "$directory/$name.csr"
    printf '%s\n' "$@" >"$directory/$name.ext"
    local signed_by=(-CA "$directory/$issuer.pem" -CAkey "$directory/$issuer.key" -CAcreateserial)
    [ "$issuer" != "$name" ] || signed_by=(-signkey "$directory/$name.key")
    openssl x509 -req -in "$directory/$name.csr" "${signed_by[@]}" -days 2 -extfile "$directory/$name.ext" \
        -out "$directory/$name.pem"
}

{
    certificate root root basicConstraints=critical,CA:true keyUsage=critical,keyCertSign
    certificate intermediate root basicConstraints=critical,CA:true keyUsage=critical,keyCertSign
    certificate server intermediate subjectAltName=DNS:localhost,IP:127.0.0.1 keyUsage=critical,digitalSignature \
        extendedKeyUsage=serverAuth
} 2>"$directory/openssl.log"
cat "$directory/intermediate.pem" >>"$directory/server.pem"
# pin_of FILE: prints the pin of a certificate's key.
pin_of() {
    echo "sha256/$(openssl x509 -in "$1" -pubkey -noout | openssl pkey -pubin -outform der |
        openssl dgst -sha256 -binary | base64)"
}
pin=$(pin_of "$directory/intermediate.pem")

# What is downloaded goes into memory too, where there is such a folder: the disk is none of the clients.
saved=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "$directory")")
endings+=('rm -rf "$saved"')

# A gigabyte that takes no room on a disk, and is in memory once it has been read.
truncate -s 1G "$directory/files/gigabyte"
cat "$directory/files/gigabyte" >/dev/null

plain_port=$(free_port) tls_port=$(free_port) http2_port=$(free_port)
sink_port=$(free_port) sink_tls_port=$(free_port) sink_http2_port=$(free_port)
gateway_port=$(free_port)
sed -e "s|DIRECTORY|$directory|g" -e "s|PLAIN_PORT|$plain_port|g" -e "s|TLS_PORT|$tls_port|g" \
    -e "s|HTTP2_PORT|$http2_port|g" Servers/nginx.conf >"$directory/nginx.conf"
nginx -c "$directory/nginx.conf"
endings+=("kill $(cat "$directory/nginx.pid")")
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

export BENCHMARK_PLAIN="http://127.0.0.1:$plain_port" BENCHMARK_TLS="https://localhost:$tls_port"
export BENCHMARK_HTTP2="https://localhost:$http2_port" BENCHMARK_SINK="http://127.0.0.1:$sink_port"
export BENCHMARK_SINK_TLS="https://localhost:$sink_tls_port" BENCHMARK_SINK_HTTP2="https://localhost:$sink_http2_port"
export BENCHMARK_AUTHORITY="$directory/root.pem" BENCHMARK_PIN="$pin" BENCHMARK_DIRECTORY="$directory"
export BENCHMARK_SAVED="$saved/gigabyte"
export BENCHMARK_GATEWAY="https://localhost:$gateway_port" BENCHMARK_GATEWAY_AUTHORITY="$directory/gateway/ca.pem"
export BENCHMARK_GATEWAY_PIN="$gateway_pin" BENCHMARK_PAYLOAD_KEYS="$directory/gateway/payload-keys.json"
