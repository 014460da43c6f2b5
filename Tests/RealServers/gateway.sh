# Sallyport's own gateway as an authorization server, for the tests that every identity server has to pass: the real program,
# once over plain HTTP and once over TLS, each with a state of its own.
install openssl
mkdir "$directory/gateway"
openssl genrsa -out "$directory/gateway/enc.pem" 2048 2>"$directory/gateway/openssl.log"
hashed() { echo "$1" | .build/debug/sallyport serve hash-password --cost 4; }
python3 - "$directory/gateway/identity.json" "$(openssl rsa -in "$directory/gateway/enc.pem" -noout -modulus 2>/dev/null)" \
    "$(hashed wonderland)" "$(hashed s3cret-conf)" "$(hashed s3cret-jwe)" <<'END'
import base64, json, sys

path, modulus, alice, conf, jwe = sys.argv[1:]
n = base64.urlsafe_b64encode(bytes.fromhex(modulus.split("=")[1])).rstrip(b"=").decode()
device = "urn:ietf:params:oauth:grant-type:device_code"
common = {
    "redirect_uris": ["http://127.0.0.1/cb", "http://127.0.0.1/callback"],
    "grant_types": ["authorization_code", "refresh_token", device],
    "scope": "openid profile email offline_access api",
}
own = ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"]
json.dump({
    "users": [{"username": "alice", "password": alice, "claims": {"name": "Alice", "email": "alice@example.com"}}],
    "clients": [
        {**common, "client_id": "pub", "token_endpoint_auth_method": "none"},
        {**common, "client_id": "conf", "client_secret": conf, "grant_types": common["grant_types"] + own,
         "token_exchange_clients": ["pub"]},
        {**common, "client_id": "jwe", "client_secret": jwe, "id_token_encrypted_response_alg": "RSA-OAEP-256",
         "jwks": {"keys": [{"kty": "RSA", "n": n, "e": "AQAB", "use": "enc", "kid": "e1"}]}},
    ],
    "allows_registration": True,
    "registration_scopes": ["openid", "api"],
    "allows_development_calls": True,
    # The tests use refresh tokens twice to see that the server notices.
    "lifetimes": {"device_interval": 1, "refresh_token_reuse": 0},
}, open(path, "w"))
END
for scheme in http https; do
    gateway_port=$(free_port) test_port=$(free_port)
    case $scheme in http) options=(--no-tls) ;; https) options=(--ca-file "$directory/gateway/authority.pem") ;; esac
    .build/debug/sallyport serve "${options[@]}" --port "$gateway_port" --test-port "$test_port" --identity "$directory/gateway/identity.json" \
        >"$directory/gateway/$scheme.log" 2>&1 &
    at_exit "kill $!"
    listening "$gateway_port" || { cat "$directory/gateway/$scheme.log" >&2; exit 1; }
    case $scheme in
        http) export SALLYPORT_GATEWAY="http://127.0.0.1:$gateway_port" SALLYPORT_GATEWAY_TEST_ROUTES="http://127.0.0.1:$test_port" ;;
        https)
            export SALLYPORT_GATEWAY_TLS="https://127.0.0.1:$gateway_port"
            # What Chromium trusts, as it asks neither the system nor a file.
            TEST_BROWSER_TRUST=$(openssl s_client -connect "127.0.0.1:$gateway_port" </dev/null 2>/dev/null |
                openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64)
            export TEST_BROWSER_TRUST
            ;;
    esac
done
export SALLYPORT_GATEWAY_KEY="$directory/gateway/enc.pem" SALLYPORT_GATEWAY_CA="$directory/gateway/authority.pem"
