# Glewlwyd, from Debian: an OpenID Connect provider with all the grants.
install glewlwyd
install sqlite3
install curl
install openssl
glewlwyd_port=$(free_port)
at_exit 'Tests/RealServers/glewlwyd-server stop "$directory/glewlwyd"'
Tests/RealServers/glewlwyd-server create "$directory/glewlwyd" "$glewlwyd_port" >"$directory/glewlwyd.log" 2>&1 ||
    { cat "$directory/glewlwyd.log" >&2; exit 1; }
# Its session cookie is for the domain localhost, so the tests call it by that name.
export SALLYPORT_GLEWLWYD="http://localhost:$glewlwyd_port/api/oidc"
export SALLYPORT_GLEWLWYD_COOKIES="$directory/glewlwyd/usr" SALLYPORT_GLEWLWYD_KEY="$directory/glewlwyd/enc.pem"
