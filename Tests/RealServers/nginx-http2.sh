# nginx, from Debian, as a server of HTTP/2: few streams at a time, few requests to a connection,
# refused streams, and a reload.
install nginx
need nginx
mkdir "$directory/http2"
tls_port=$(free_port) few_port=$(free_port) short_port=$(free_port) refusing_port=$(free_port)
sed -e "s|DIRECTORY|$directory|g" -e "s|TLS_PORT|$tls_port|g" -e "s|FEW_PORT|$few_port|g" -e "s|SHORT_PORT|$short_port|g" \
    -e "s|REFUSING_PORT|$refusing_port|g" \
    Tests/RealServers/nginx-http2.conf >"$directory/nginx-http2.conf"
nginx -c "$directory/nginx-http2.conf"
at_exit 'kill "$(cat "$directory/http2/nginx.pid")"'
export SALLYPORT_NGINX_HTTP2="https://localhost:$tls_port" SALLYPORT_NGINX_HTTP2_FEW="https://localhost:$few_port"
export SALLYPORT_NGINX_HTTP2_SHORT="https://localhost:$short_port" SALLYPORT_NGINX_HTTP2_CA="$directory/ca.pem"
export SALLYPORT_NGINX_HTTP2_REFUSING="http://localhost:$refusing_port" SALLYPORT_NGINX_HTTP2_LOG="$directory/http2/refusing.log"
export SALLYPORT_NGINX_HTTP2_CONF="$directory/nginx-http2.conf"
