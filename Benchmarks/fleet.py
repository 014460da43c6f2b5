#!/usr/bin/env python3
"""Measures a session that many processes share through PostgreSQL, directly and through PgBouncer.

    unshare --net Benchmarks/fleet.py WORKER PROCESSES [--pgbouncer] [--rotations N] [--rotate-keys]
    unshare --net Benchmarks/fleet.py WORKER PROCESSES [--pgbouncer] --fault NAME

WORKER is .build/debug/SessionWorker, built with `swift build --build-tests --traits default,PostgreSQL`. The database accepts 57 connections, and
PgBouncer opens 5 of them. In each rotation, the tokens of all processes become due at the same moment, all of them call, and then expire,
and all of them call again. Prints the longest call, the failed calls, the refreshes, and what the database did. With --rotate-keys, the key of
the rows is replaced in the middle of the run.

With --fault, tokens are valid for 30 s, and the processes call ten times per second for 70 s. After 20 s, something happens:

    freeze    the database is stopped for 13 s            lock     the row is locked by another program for 10 s
    restart   the database is restarted                   full     the disk of the database is full for 10 s
    stop      a process whose request is lost is stopped  kill     a process whose request is lost is killed
              for 20 s
    failover  the database is stopped, and its replica becomes the primary after 3 s
    clock     the clocks of a third are an hour fast, and those of another third an hour slow, from the beginning

Needs root, Debian's postgresql and pgbouncer.
"""

import argparse
import asyncio
import json
import pathlib
import secrets
import signal
import subprocess
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLUSTER = ROOT / "Tests/RealServers/postgres-cluster"
PORT = 5432


class TokenServer:
    """Issues tokens with a new refresh token each time, after 100 ms."""

    def __init__(self, lifetime):
        self.lifetime, self.current, self.refreshes, self.refused = lifetime, None, 0, 0
        # Called with the name of the process that asks for tokens. If it returns True, the request is lost.
        self.on_request = lambda name: False

    def issue(self):
        self.current = secrets.token_hex(16)
        return {"access_token": secrets.token_hex(16), "refresh_token": self.current, "expires_in": self.lifetime}

    async def serve(self, reader, writer):
        while True:
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
            except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                break
            length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-length:"))
            names = [line.split(":")[1].strip() for line in head.split("\r\n") if line.lower().startswith("x-member:")]
            if self.on_request(names[0]):
                break
            form = dict(urllib.parse.parse_qsl((await reader.readexactly(length)).decode()))
            await asyncio.sleep(0.1)
            if form["refresh_token"] == self.current:
                self.refreshes += 1
                status, body = "200 OK", self.issue()
            else:
                self.refused += 1
                status, body = "400 Bad Request", {"error": "invalid_grant"}
            data = json.dumps(body).encode()
            writer.write(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        writer.close()


class Member:
    @classmethod
    async def start(cls, worker, url, name):
        self = cls()
        self.name = name
        self.process = await asyncio.create_subprocess_exec(
            worker, url, name, "fleet", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        assert await self.line() == "ready"
        return self

    async def line(self):
        return (await self.process.stdout.readline()).decode().strip()

    async def answer(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        return await self.line()


class Database:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory) / "postgres"
        self.replica = pathlib.Path(directory) / "replica"
        self.run("create", str(self.directory), "127.0.0.1", str(PORT))
        with open(self.directory / "data/postgresql.conf", "a") as settings:
            settings.write("max_connections = 67\nsuperuser_reserved_connections = 10\n")
            # Otherwise, the server writes its log between commits too.
            settings.write("wal_writer_delay = 10s\n")
        self.run("control", str(self.directory), "start")
        self.query("CREATE ROLE app LOGIN PASSWORD 'wonderland'; GRANT CREATE ON DATABASE sallyport TO app")

    def run(self, *arguments):
        return subprocess.run([CLUSTER, *arguments], check=True, capture_output=True, text=True).stdout

    def replicate(self):
        self.run("replicate", str(self.directory), str(self.replica), str(PORT + 1))
        self.run("control", str(self.replica), "start")

    def fail_over(self):
        self.run("control", str(self.directory), "stop", "-m", "immediate")
        time.sleep(3)
        self.run("control", str(self.replica), "promote")

    def stop(self):
        for directory in [self.directory, self.replica]:
            if (directory / "data/postmaster.pid").exists():
                self.run("control", str(directory), "stop", "-m", "immediate")

    def query(self, statement):
        for _ in range(100):
            try:
                return self.run("query", str(self.directory), statement).strip()
            except subprocess.CalledProcessError:
                # While many processes connect, there is not even a connection for an administrator.
                time.sleep(0.1)
        raise SystemExit("the database does not accept a connection")

    def counts(self):
        """Returns the transactions, the changes of rows, each of which is committed, and the writes of the log to the disk so far."""
        values = self.query(
            "SELECT pg_stat_force_next_flush(); SELECT xact_commit FROM pg_stat_database WHERE datname = 'sallyport';"
            "SELECT n_tup_upd + n_tup_ins FROM pg_stat_user_tables WHERE relname = 'records'; SELECT wal_sync FROM pg_stat_wal")
        return [int(value) for value in values.split()]

    def connections(self):
        return int(self.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'"))


def start_pgbouncer(directory, authority):
    folder = pathlib.Path(directory) / "pgbouncer"
    folder.mkdir()
    (folder / "users").write_text('"app" "wonderland"\n')
    (folder / "ini").write_text(f"""[databases]
sallyport = host=127.0.0.1 port={PORT}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 5
max_client_conn = 2000
server_tls_sslmode = verify-ca
server_tls_ca_file = {authority}
""")
    subprocess.run(["chown", "-R", "postgres", folder], check=True)
    return subprocess.Popen(["pgbouncer", "-q", "-u", "postgres", folder / "ini"])


async def call(members, offset):
    """Lets all members call. Returns the times of the calls in milliseconds, and the errors."""
    answers = await asyncio.gather(*(member.answer(f"call {offset}") for member in members))
    times = [float(answer.split()[2]) for answer in answers if answer.startswith("called ")]
    return times, [answer for answer in answers if not answer.startswith("called ")]


async def call_repeatedly(member, offset, end, times, errors):
    while time.monotonic() < end:
        answer = await member.answer(f"call {offset}")
        if not answer:
            # The process was killed.
            return
        if answer.startswith("called "):
            times.append(float(answer.split()[2]))
        else:
            errors.append(answer)
        await asyncio.sleep(0.1)


async def measure_fault(fault, members, server, database):
    times, errors = [], []
    start = time.monotonic()

    def offset(number):
        return 0 if fault != "clock" else [0, 3600, -3600][number % 3]

    calls = [asyncio.create_task(call_repeatedly(member, offset(number), start + 70, times, errors)) for number, member in enumerate(members)]
    await asyncio.sleep(20)
    match fault:
        case "freeze":
            pids = subprocess.run(["pgrep", "-u", "postgres", "-x", "postgres"], check=True, capture_output=True, text=True).stdout.split()
            subprocess.run(["kill", "-STOP", *pids], check=True)
            await asyncio.sleep(13)
            subprocess.run(["kill", "-CONT", *pids], check=True)
        case "lock":
            await asyncio.to_thread(database.query, "BEGIN; SELECT 1 FROM sallyport.records FOR UPDATE; SELECT pg_sleep(10); ROLLBACK")
        case "restart":
            await asyncio.to_thread(database.run, "control", str(database.directory), "restart", "-m", "immediate")
        case "full":
            database.query("""CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = 'disk_full'; END $$;
                CREATE TRIGGER refuse BEFORE UPDATE ON sallyport.records FOR EACH ROW EXECUTE FUNCTION refuse()""")
            await asyncio.sleep(10)
            database.query("DROP TRIGGER refuse ON sallyport.records")
        case "failover":
            await asyncio.to_thread(database.fail_over)
        case "stop" | "kill":
            names = asyncio.Queue()

            def lose(name):
                names.put_nowait(name)
                server.on_request = lambda name: False
                return True

            server.on_request = lose
            name = await names.get()
            refresher = next(member for member in members if member.name == name)
            if fault == "kill":
                refresher.process.kill()
            else:
                refresher.process.send_signal(signal.SIGSTOP)
                await asyncio.sleep(20)
                refresher.process.send_signal(signal.SIGCONT)
    await asyncio.gather(*calls)
    print(json.dumps({
        "fault": fault, "processes": len(members), "calls": len(times), "failed": len(errors), "first error": errors[:1],
        "longest call, ms": round(max(times), 1), "refreshes": server.refreshes, "refused": server.refused,
    }))


async def measure(options):
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory).chmod(0o755)
        subprocess.run("ip link set lo up; ip address add 10.77.0.1/32 dev lo", shell=True, check=True)
        server = TokenServer(30 if options.fault else 3600)
        listener = await asyncio.start_server(server.serve, "10.77.0.1", 8080, backlog=1000)
        database = Database(directory)
        pgbouncer = start_pgbouncer(directory, database.directory / "ca.pem") if options.pgbouncer else None
        hosts = f"127.0.0.1:{PORT}"
        if options.fault == "failover":
            database.replicate()
            hosts += f",127.0.0.1:{PORT + 1}"
        direct = f"postgres://app:wonderland@{hosts}/sallyport?sslmode=verify-ca&sslrootcert={database.directory}/ca.pem"
        url = "postgres://app:wonderland@127.0.0.1:6432/sallyport?sslmode=disable" if pgbouncer else direct
        members = []
        try:
            first = await Member.start(options.worker, direct, "0")
            assert await first.answer("migrate") == "migrated"
            assert await first.answer("save " + json.dumps(server.issue()).replace(" ", "")) == "saved"
            members = [await Member.start(options.worker, url, str(number)) for number in range(options.processes)]
            offset, due, expired, errors, connections = 0, [], [], [], 0
            times, problems = await call(members, offset)
            errors += problems
            if options.fault:
                return await measure_fault(options.fault, members, server, database)
            start = times
            before = database.counts()
            for rotation in range(options.rotations):
                if options.rotate_keys and rotation == options.rotations // 2:
                    for line in ["keys old new", "keys new old"]:
                        for member in members + [first]:
                            assert await member.answer(line) == "keys"
                    assert await first.answer("encrypt") == "encrypted"
                    for member in members + [first]:
                        assert await member.answer("keys new") == "keys"
                    times, problems = await call(members, offset)
                    start += times
                    errors += problems
                offset += 3555
                times, problems = await call(members, offset)
                due += times
                errors += problems
                connections = max(connections, database.connections())
                for member in members:
                    problem = await member.answer("finish")
                    assert problem == "finished", problem
                offset += 3605
                calls = asyncio.create_task(call(members, offset))
                while not calls.done():
                    connections = max(connections, await asyncio.to_thread(database.connections))
                    await asyncio.sleep(0.05)
                times, problems = calls.result()
                expired += times
                errors += problems
            after = database.counts()
            rotations = 2 * options.rotations
            print(json.dumps({
                "processes": options.processes, "through": "PgBouncer" if pgbouncer else "57 connections",
                "calls": len(start) + len(due) + len(expired), "failed": len(errors), "first error": errors[:1],
                "longest call at the start, ms": round(max(start)), "longest call with a valid token, ms": round(max(due), 1),
                "longest call with an expired token, ms": round(max(expired)),
                "refreshes per rotation": server.refreshes / rotations, "refused": server.refused,
                "most connections": connections,
                "transactions per rotation": round((after[0] - before[0]) / rotations, 1),
                "changed rows per rotation": round((after[1] - before[1]) / rotations, 1),
                "writes of the log per rotation": round((after[2] - before[2]) / rotations, 1),
            }, indent=1))
        finally:
            for member in members + [first]:
                if member.process.returncode is None:
                    member.process.kill()
            if pgbouncer:
                pgbouncer.kill()
            listener.close()
            database.stop()


parser = argparse.ArgumentParser()
parser.add_argument("worker")
parser.add_argument("processes", type=int)
parser.add_argument("--pgbouncer", action="store_true")
parser.add_argument("--rotations", type=int, default=5)
parser.add_argument("--fault", choices=["freeze", "lock", "restart", "full", "stop", "kill", "failover", "clock"])
parser.add_argument("--rotate-keys", action="store_true")
asyncio.run(measure(parser.parse_args()))
