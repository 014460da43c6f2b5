# Glewlwyd, from Debian: an OpenID Connect provider with all the grants, set up by the script that stands beside the clone.
install glewlwyd
install sqlite3
install curl
install openssl
glewlwyd_port=$(free_port)
bash ../shared/oracles/glewlwyd-up.sh "$directory/glewlwyd" "$glewlwyd_port" >"$directory/glewlwyd-up.log" 2>&1 ||
    { cat "$directory/glewlwyd-up.log" >&2; exit 1; }
at_exit 'kill "$(cat "$directory/glewlwyd/pid")"'
# Its session cookie is for the domain localhost, so it has to be called by that name.
export SALLYPORT_GLEWLWYD="http://localhost:$glewlwyd_port/api/oidc"
export SALLYPORT_GLEWLWYD_COOKIES="$directory/glewlwyd/usr" SALLYPORT_GLEWLWYD_KEY="$directory/glewlwyd/enc.pem"
