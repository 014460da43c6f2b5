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

# PgBouncer, from Debian, in transaction mode: two connections for all processes.
install pgbouncer
mkdir "$directory/pgbouncer"
pgbouncer_port=$(free_port)
printf '"sallyport" "wonderland"\n' >"$directory/pgbouncer/users"
printf '%s\n' "[databases]" "sallyport = host=127.0.0.1 port=$postgres_port" "[pgbouncer]" "listen_addr = 127.0.0.1" \
    "listen_port = $pgbouncer_port" "unix_socket_dir =" "auth_type = scram-sha-256" "auth_file = $directory/pgbouncer/users" \
    "pool_mode = transaction" "default_pool_size = 2" "max_client_conn = 500" "server_tls_sslmode = verify-ca" \
    "server_tls_ca_file = $directory/postgres/ca.pem" >"$directory/pgbouncer/ini"
# PgBouncer refuses to be run by root.
as_postgres=()
[ "$(id -u)" != 0 ] || { as_postgres=(runuser -u postgres --) && chown -R postgres "$directory/pgbouncer"; }
(cd / && exec "${as_postgres[@]}" /usr/sbin/pgbouncer -q "$directory/pgbouncer/ini") &
at_exit "kill $!"
listening "$pgbouncer_port"
export SALLYPORT_PGBOUNCER="postgres://sallyport:wonderland@127.0.0.1:$pgbouncer_port/sallyport?sslmode=disable"
