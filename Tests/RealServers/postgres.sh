# PostgreSQL, from Debian, over TLS; and the script with which tests create servers that they stop.
install pg_ctlcluster postgresql
install openssl
export SALLYPORT_POSTGRES_CLUSTER="$PWD/Tests/RealServers/postgres-cluster"

# postgres_cluster DIRECTORY ADDRESS PORT [COMMAND …]: creates a server and starts it with the command, which enters a network
# namespace.
postgres_cluster() {
    "$SALLYPORT_POSTGRES_CLUSTER" create "$1" "$2" "$3" >"$1.log" 2>&1 || { cat "$1.log" >&2; exit 1; }
    "${@:4}" "$SALLYPORT_POSTGRES_CLUSTER" control "$1" start >/dev/null
    at_exit "'$SALLYPORT_POSTGRES_CLUSTER' control '$1' stop -m immediate >/dev/null"
}

postgres_port=$(free_port)
postgres_cluster "$directory/postgres" 127.0.0.1 "$postgres_port"
export SALLYPORT_POSTGRES="postgres://sallyport@127.0.0.1:$postgres_port/sallyport?sslmode=verify-full&sslrootcert=$directory/postgres/ca.pem"
export SALLYPORT_POSTGRES_PASSWORD=wonderland
