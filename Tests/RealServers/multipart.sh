# Parsers of forms from PyPI: multipart, werkzeug's and Django's. And the gateway, for what curl sends.
need gateway
install curl
python3 -m venv "$directory/multipart"
"$directory/multipart/bin/pip" install --quiet --disable-pip-version-check multipart==2.0.1 Werkzeug==3.1.9 Django==5.2.19
multipart_port=$(free_port)
"$directory/multipart/bin/python" Tests/RealServers/form-parsers.py "$multipart_port" >"$directory/multipart.log" 2>&1 &
multipart_pid=$!
at_exit 'kill "$multipart_pid"'
listening "$multipart_port"
export SALLYPORT_MULTIPART="http://127.0.0.1:$multipart_port"
