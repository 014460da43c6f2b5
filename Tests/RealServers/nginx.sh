# nginx, from Debian: files, ranges, gzip, keep-alive and an abrupt close.
install nginx
mkdir "$directory/files"
python3 -c 'print("".join("line %06d of a text that compresses well\n" % n for n in range(25_000)), end="")' >"$directory/files/text.txt"
python3 -c 'import sys; sys.stdout.buffer.write(bytes(n * n % 251 for n in range(1_000_000)))' >"$directory/files/bytes.bin"
port=$(free_port)
sed -e "s|DIRECTORY|$directory|g" -e "s|PORT|$port|g" Tests/RealServers/nginx.conf >"$directory/nginx.conf"
nginx -c "$directory/nginx.conf"
at_exit 'kill "$(cat "$directory/nginx.pid")"'
export SALLYPORT_NGINX="http://127.0.0.1:$port" SALLYPORT_NGINX_FILES="$directory/files"
