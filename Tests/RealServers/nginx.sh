# nginx, from Debian: files, ranges, gzip, keep-alive and an abrupt close, without TLS and with it.
install nginx
install openssl
mkdir "$directory/files"
python3 -c 'print("".join("line %06d of a text that compresses well\n" % n for n in range(25_000)), end="")' >"$directory/files/text.txt"
python3 -c 'import sys; sys.stdout.buffer.write(bytes(n * n % 251 for n in range(1_000_000)))' >"$directory/files/bytes.bin"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=Sallyport real servers" \
    -addext keyUsage=critical,keyCertSign -keyout "$directory/ca.key" -out "$directory/ca.pem" 2>"$directory/openssl.log"
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost \
    -keyout "$directory/server.key" -out "$directory/server.csr" 2>>"$directory/openssl.log"
printf '%s\n' subjectAltName=DNS:localhost,IP:127.0.0.1 keyUsage=critical,digitalSignature extendedKeyUsage=serverAuth \
    >"$directory/server.ext"
openssl x509 -req -in "$directory/server.csr" -CA "$directory/ca.pem" -CAkey "$directory/ca.key" -CAcreateserial -days 2 \
    -extfile "$directory/server.ext" -out "$directory/server.pem" 2>>"$directory/openssl.log"
port=$(free_port) tls_port=$(free_port)
sed -e "s|DIRECTORY|$directory|g" -e "s|TLS_PORT|$tls_port|g" -e "s|PORT|$port|g" Tests/RealServers/nginx.conf >"$directory/nginx.conf"
nginx -c "$directory/nginx.conf"
at_exit 'kill "$(cat "$directory/nginx.pid")"'
export SALLYPORT_NGINX="http://127.0.0.1:$port" SALLYPORT_NGINX_FILES="$directory/files"
export SALLYPORT_NGINX_TLS="https://localhost:$tls_port" SALLYPORT_NGINX_CA="$directory/ca.pem"
