# nghttpd, from Debian: files over HTTP/2, with TLS and without, with a trailer after each, and one that echoes uploads.
install nghttpd nghttp2-server
need nginx
mkdir "$directory/nghttpd"
printf 'hello' >"$directory/nghttpd/hello.txt"
python3 -c 'import sys; sys.stdout.buffer.write(bytes(n * n % 251 for n in range(1_000_000)))' >"$directory/nghttpd/bytes.bin"
# nghttpd_on PORT ARGUMENTS...: starts one, and waits for it.
nghttpd_on() {
    nghttpd --address=127.0.0.1 --htdocs="$directory/nghttpd" --trailer='x-sum: 42' "$1" "${@:2}" >"$directory/nghttpd-$1.log" 2>&1 &
    at_exit "kill $!"
    listening "$1"
}
cleartext_port=$(free_port)
nghttpd_on "$cleartext_port" --no-tls
echo_port=$(free_port)
nghttpd_on "$echo_port" --no-tls --echo-upload --max-concurrent-streams=7
tls_port=$(free_port)
nghttpd_on "$tls_port" --max-concurrent-streams=100 "$directory/server.key" "$directory/server.pem"
export SALLYPORT_NGHTTPD="http://127.0.0.1:$cleartext_port" SALLYPORT_NGHTTPD_ECHO="http://127.0.0.1:$echo_port"
export SALLYPORT_NGHTTPD_TLS="https://localhost:$tls_port" SALLYPORT_NGHTTPD_CA="$directory/ca.pem"
export SALLYPORT_NGHTTPD_FILES="$directory/nghttpd"
