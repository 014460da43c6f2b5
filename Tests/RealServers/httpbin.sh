# httpbin, from PyPI: Basic and Digest authentication.
python3 -m venv "$directory/httpbin"
"$directory/httpbin/bin/pip" install --quiet --disable-pip-version-check httpbin==0.10.4
port=$(free_port)
"$directory/httpbin/bin/python" -m httpbin.core --host 127.0.0.1 --port "$port" >"$directory/httpbin.log" 2>&1 &
httpbin_pid=$!
at_exit 'kill "$httpbin_pid"'
listening "$port"
export SALLYPORT_HTTPBIN="http://127.0.0.1:$port"
