# joserfc and jwcrypto, from PyPI: decrypt messages of SallyportJOSE, and encrypt messages to it.
python3 -m venv "$directory/jose"
"$directory/jose/bin/pip" install --quiet --disable-pip-version-check joserfc==1.8.0 jwcrypto==1.6.1
export SALLYPORT_JOSE="$directory/jose/bin/python"
export SALLYPORT_JOSE_PEER="$PWD/Tests/RealServers/jose-peer.py"
