# py_webauthn, from PyPI: verifies the responses of the software authenticator, as a server does.
python3 -m venv "$directory/webauthn"
"$directory/webauthn/bin/pip" install --quiet --disable-pip-version-check webauthn==3.0.1
export SALLYPORT_WEBAUTHN="$directory/webauthn/bin/python"
export SALLYPORT_WEBAUTHN_VERIFIER="$PWD/Tests/RealServers/webauthn-verifier.py"
