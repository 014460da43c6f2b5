# Starts nginx for a script in the folder Benchmarks to source: exports its addresses, and stops it at the script's end.
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

plain_port=$(free_port) tls_port=$(free_port) http2_port=$(free_port)
sed -e "s|DIRECTORY|$directory|g" -e "s|PLAIN_PORT|$plain_port|g" -e "s|TLS_PORT|$tls_port|g" \
    -e "s|HTTP2_PORT|$http2_port|g" Servers/nginx.conf >"$directory/nginx.conf"
nginx -c "$directory/nginx.conf"
endings+=("kill $(cat "$directory/nginx.pid")")

export BENCHMARK_PLAIN="http://127.0.0.1:$plain_port" BENCHMARK_TLS="https://localhost:$tls_port"
export BENCHMARK_HTTP2="https://localhost:$http2_port" BENCHMARK_AUTHORITY="$directory/root.pem"
