# A fleet: four network namespaces, and one more, the hub, in which Glewlwyd and PostgreSQL run. FleetTests starts processes in
# the four, which reach 10.77.0.1 in the hub; the host has no address in this network. Needs root.
need postgres
install ip iproute2
install glewlwyd
install sqlite3
install curl
if [ "$(id -u)" = 0 ] && ip netns add "sallyport-$$-hub" 2>"$directory/fleet.log"; then
    at_exit "ip netns delete sallyport-$$-hub"
    ip -n "sallyport-$$-hub" link set lo up
    ip -n "sallyport-$$-hub" address add 10.77.0.1/32 dev lo
    for member in 1 2 3 4; do
        ip netns add "sallyport-$$-$member"
        at_exit "ip netns delete sallyport-$$-$member"
        ip -n "sallyport-$$-hub" link add "member$member" type veth peer name hub netns "sallyport-$$-$member"
        ip -n "sallyport-$$-hub" address add "10.77.$member.1/30" dev "member$member"
        ip -n "sallyport-$$-hub" link set "member$member" up
        ip -n "sallyport-$$-$member" link set lo up
        ip -n "sallyport-$$-$member" address add "10.77.$member.2/30" dev hub
        ip -n "sallyport-$$-$member" link set hub up
        ip -n "sallyport-$$-$member" route add 10.77.0.1 via "10.77.$member.1"
    done

    # The ports are free, because the namespace is new.
    at_exit 'Tests/RealServers/glewlwyd-server stop "$directory/fleet-glewlwyd"'
    ip netns exec "sallyport-$$-hub" Tests/RealServers/glewlwyd-server create "$directory/fleet-glewlwyd" 4593 \
        >"$directory/fleet-glewlwyd.log" 2>&1 || { cat "$directory/fleet-glewlwyd.log" >&2; exit 1; }
    postgres_cluster "$directory/fleet-postgres" 10.77.0.1 5432 ip netns exec "sallyport-$$-hub"
    export SALLYPORT_FLEET_COOKIES="$directory/fleet-glewlwyd/usr"
    export SALLYPORT_FLEET_DATABASE="postgres://sallyport:wonderland@10.77.0.1:5432/sallyport?sslmode=verify-full&sslrootcert=$directory/fleet-postgres/ca.pem"
fi
# Without namespaces, the tests fail with a message, rather than being skipped.
export SALLYPORT_FLEET="sallyport-$$"
