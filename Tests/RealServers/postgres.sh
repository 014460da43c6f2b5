# PostgreSQL, from Debian: a database over TLS, and the programs with which tests create databases of their own.
install pg_ctlcluster postgresql
install openssl
postgres_programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
# PostgreSQL refuses to be run by root.
as_postgres=()
[ "$(id -u)" != 0 ] || as_postgres=(runuser -u postgres --)

# postgres_cluster DIRECTORY ADDRESS PORT [COMMAND …]: starts a server with the database and user `sallyport`, password
# `wonderland`, which requires TLS, in the network namespace that the command enters. The authority is DIRECTORY/ca.pem, and
# DIRECTORY contains the socket of local connections, which need no password.
postgres_cluster() {
    local cluster=$1 address=$2 port=$3
    shift 3
    mkdir "$cluster"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=Sallyport databases" \
        -addext keyUsage=critical,keyCertSign -keyout "$cluster/ca.key" -out "$cluster/ca.pem" 2>"$cluster/openssl.log"
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost \
        -keyout "$cluster/server.key" -out "$cluster/server.csr" 2>>"$cluster/openssl.log"
    printf '%s\n' "subjectAltName=DNS:localhost,IP:$address" keyUsage=critical,digitalSignature extendedKeyUsage=serverAuth \
        >"$cluster/server.ext"
    openssl x509 -req -in "$cluster/server.csr" -CA "$cluster/ca.pem" -CAkey "$cluster/ca.key" -CAcreateserial -days 2 \
        -extfile "$cluster/server.ext" -out "$cluster/server.pem" 2>>"$cluster/openssl.log"
    echo wonderland >"$cluster/password"
    [ "$(id -u)" != 0 ] || chown -R postgres "$cluster"
    "${as_postgres[@]}" "$postgres_programs/initdb" -D "$cluster/data" -U sallyport --pwfile "$cluster/password" \
        --auth-local trust --auth-host reject >"$cluster/initdb.log"
    printf '%s\n' "local all all trust" "hostssl all,replication all all scram-sha-256" |
        "${as_postgres[@]}" tee "$cluster/data/pg_hba.conf" >/dev/null
    printf '%s\n' "listen_addresses = '$address'" "port = $port" "unix_socket_directories = '$cluster'" \
        "max_connections = 200" "ssl = on" "ssl_cert_file = '$cluster/server.pem'" "ssl_key_file = '$cluster/server.key'" |
        "${as_postgres[@]}" tee -a "$cluster/data/postgresql.conf" >/dev/null
    "$@" "${as_postgres[@]}" "$postgres_programs/pg_ctl" -D "$cluster/data" -w -t 60 -l "$cluster/log" start >/dev/null ||
        { cat "$cluster/log" >&2; exit 1; }
    at_exit "${as_postgres[*]} '$postgres_programs/pg_ctl' -D '$cluster/data' -m immediate stop >/dev/null"
    "${as_postgres[@]}" "$postgres_programs/createdb" -h "$cluster" -p "$port" -U sallyport sallyport
}

postgres_port=$(free_port)
postgres_cluster "$directory/postgres" 127.0.0.1 "$postgres_port"
export SALLYPORT_POSTGRES="postgres://sallyport@127.0.0.1:$postgres_port/sallyport?sslmode=verify-full&sslrootcert=$directory/postgres/ca.pem"
export SALLYPORT_POSTGRES_PASSWORD=wonderland SALLYPORT_POSTGRES_PROGRAMS="$postgres_programs"
