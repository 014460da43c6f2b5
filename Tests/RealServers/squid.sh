# squid, from Debian: an HTTP proxy that lets in one user, by Basic, also over TLS. The servers behind it are those of nginx.
install squid
need nginx
mkdir "$directory/squid"
printf '%s:%s\n' sallyport "$(openssl passwd -apr1 'p@ss:wörd')" >"$directory/squid/users"
[ "$(id -u)" != 0 ] || chown -R proxy "$directory/squid"
port=$(free_port) tls_port=$(free_port)
sed -e "s|DIRECTORY|$directory|g" -e "s|TLS_PORT|$tls_port|g" -e "s|PORT|$port|g" Tests/RealServers/squid.conf >"$directory/squid.conf"
squid -f "$directory/squid.conf"
at_exit 'kill "$(cat "$directory/squid.pid")"'
listening "$port"
export SALLYPORT_SQUID="127.0.0.1:$port" SALLYPORT_SQUID_TLS="localhost:$tls_port"
export SALLYPORT_SQUID_USER="sallyport:p%40ss%3Aw%C3%B6rd"
