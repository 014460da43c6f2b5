/// An option of curl 7.88, and the meaning that the option of the command with this name has.
struct CurlOption: Sendable {
    /// The names with their dashes, the long one last.
    let names: [String]
    /// The form of the value, such as `<file>`; `nil` for a flag.
    let value: String?

    private init(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: line.hasPrefix("--") ? 1 : 2)
        let count = line.hasPrefix("--") ? 1 : 2
        names = words.prefix(count).map { $0.filter { $0 != "," } }
        value = words.count > count ? String(words[count]) : nil
    }

    /// Returns the differences from curl in the meaning of an option that the command declares. An empty text means that there is none.
    static func difference(of name: String) -> String? { differences[name] }

    /// The options of the command with curl's names, and the differences in their meaning.
    private static let differences: [String: String] = [
        "--basic": "", "--cacert": "", "--cert": "a file without `:password`; use `--key-password-file`",
        "--compressed": "", "--config": "a value without quotation marks ends at the end of the line, or before ` #`",
        "--connect-timeout": "limits each of resolving, connecting and the TLS handshake",
        "--cookie": "lines of a file that are no cookies cause a warning",
        "--cookie-jar": "the file is also read; `-` is refused",
        "--data": joined, "--data-binary": joined, "--data-raw": joined, "--data-urlencode": joined,
        "--digest": "", "--fail": "the server's message is shown on standard error", "--fail-with-body": "",
        "--form": "several files in one option, `encoder=`, forms in forms and text that curl drops are refused",
        "--header": "", "--help": "the help of the command; there are no categories",
        "--http1.1": "", "--http2": "without TLS, HTTP/1.1 is used without an offer to upgrade",
        "--http2-prior-knowledge": "", "--include": "the default on a terminal",
        "--insecure": "only spelled out; refused with `--auth`, `--pin`, `--cacert` and `--cache`", "--ipv4": "",
        "--ipv6": "", "--json": "the text must be valid JSON", "--key": "", "--limit-rate": "", "--location": "",
        "--max-filesize": "", "--max-redirs": "follows redirects without `-L`; -1 is refused",
        "--max-time": "0 is refused", "--netrc": "a server without an entry is an error",
        "--netrc-file": "a server without an entry, and a file that others can read, are errors", "--noproxy": "",
        "--output": "the file gets its name when it is complete", "--proxy": "the URL needs a scheme",
        "--proxy-cacert": "",
        "--range": "only ranges of bytes, such as `0-499`",
        "--raw": "the pieces of a chunked body are joined", "--referer": "`;auto` is refused",
        "--remote-name": "a name that is unsafe is changed; an existing file is replaced",
        "--request": "only without a command, or with `request`", "--resolve": "without `+`, `-` and `*`",
        "--retry": "POST and PATCH are repeated only with `--retry-all-methods` or `--idempotency-key`",
        "--retry-all-errors": "includes every status of 400 or more; needs `--retry`",
        "--retry-delay": "0 is no wait, instead of the default", "--retry-max-time": "", "--speed-limit": "",
        "--speed-time": "", "--unix-socket": "", "--user": "", "--user-agent": "",
        "--verbose": "secrets are masked", "--write-out": "an unknown variable is an error",
    ]

    private static let joined = "pieces are joined in the order `-d`, `--data-raw`, `--data-binary`, `--data-urlencode`"

    /// The options of `curl --help all`. `curl --help all | sed` with the description removed prints them again.
    static let all = list.split(separator: "\n").map(CurlOption.init)

    private static let list = """
        --abstract-unix-socket <path>
        --alt-svc <file name>
        --anyauth
        -a, --append
        --aws-sigv4 <provider1[:provider2[:region[:service]]]>
        --basic
        --cacert <file>
        --capath <dir>
        -E, --cert <certificate[:password]>
        --cert-status
        --cert-type <type>
        --ciphers <list of ciphers>
        --compressed
        --compressed-ssh
        -K, --config <file>
        --connect-timeout <fractional seconds>
        --connect-to <HOST1:PORT1:HOST2:PORT2>
        -C, --continue-at <offset>
        -b, --cookie <data|filename>
        -c, --cookie-jar <filename>
        --create-dirs
        --create-file-mode <mode>
        --crlf
        --crlfile <file>
        --curves <algorithm list>
        -d, --data <data>
        --data-ascii <data>
        --data-binary <data>
        --data-raw <data>
        --data-urlencode <data>
        --delegation <LEVEL>
        --digest
        -q, --disable
        --disable-eprt
        --disable-epsv
        --disallow-username-in-url
        --dns-interface <interface>
        --dns-ipv4-addr <address>
        --dns-ipv6-addr <address>
        --dns-servers <addresses>
        --doh-cert-status
        --doh-insecure
        --doh-url <URL>
        -D, --dump-header <filename>
        --egd-file <file>
        --engine <name>
        --etag-compare <file>
        --etag-save <file>
        --expect100-timeout <seconds>
        -f, --fail
        --fail-early
        --fail-with-body
        --false-start
        -F, --form <name=content>
        --form-escape
        --form-string <name=string>
        --ftp-account <data>
        --ftp-alternative-to-user <command>
        --ftp-create-dirs
        --ftp-method <method>
        --ftp-pasv
        -P, --ftp-port <address>
        --ftp-pret
        --ftp-skip-pasv-ip
        --ftp-ssl-ccc
        --ftp-ssl-ccc-mode <active/passive>
        --ftp-ssl-control
        -G, --get
        -g, --globoff
        --happy-eyeballs-timeout-ms <milliseconds>
        --haproxy-protocol
        -I, --head
        -H, --header <header/@file>
        -h, --help <category>
        --hostpubmd5 <md5>
        --hostpubsha256 <sha256>
        --hsts <file name>
        --http0.9
        -0, --http1.0
        --http1.1
        --http2
        --http2-prior-knowledge
        --http3
        --http3-only
        --ignore-content-length
        -i, --include
        -k, --insecure
        --interface <name>
        -4, --ipv4
        -6, --ipv6
        --json <data>
        -j, --junk-session-cookies
        --keepalive-time <seconds>
        --key <key>
        --key-type <type>
        --krb <level>
        --libcurl <file>
        --limit-rate <speed>
        -l, --list-only
        --local-port <num/range>
        -L, --location
        --location-trusted
        --login-options <options>
        --mail-auth <address>
        --mail-from <address>
        --mail-rcpt <address>
        --mail-rcpt-allowfails
        -M, --manual
        --max-filesize <bytes>
        --max-redirs <num>
        -m, --max-time <fractional seconds>
        --metalink
        --negotiate
        -n, --netrc
        --netrc-file <filename>
        --netrc-optional
        -:, --next
        --no-alpn
        -N, --no-buffer
        --no-clobber
        --no-keepalive
        --no-npn
        --no-progress-meter
        --no-sessionid
        --noproxy <no-proxy-list>
        --ntlm
        --ntlm-wb
        --oauth2-bearer <token>
        -o, --output <file>
        --output-dir <dir>
        -Z, --parallel
        --parallel-immediate
        --parallel-max <num>
        --pass <phrase>
        --path-as-is
        --pinnedpubkey <hashes>
        --post301
        --post302
        --post303
        --preproxy [protocol://]host[:port]
        -#, --progress-bar
        --proto <protocols>
        --proto-default <protocol>
        --proto-redir <protocols>
        -x, --proxy [protocol://]host[:port]
        --proxy-anyauth
        --proxy-basic
        --proxy-cacert <file>
        --proxy-capath <dir>
        --proxy-cert <cert[:passwd]>
        --proxy-cert-type <type>
        --proxy-ciphers <list>
        --proxy-crlfile <file>
        --proxy-digest
        --proxy-header <header/@file>
        --proxy-insecure
        --proxy-key <key>
        --proxy-key-type <type>
        --proxy-negotiate
        --proxy-ntlm
        --proxy-pass <phrase>
        --proxy-pinnedpubkey <hashes>
        --proxy-service-name <name>
        --proxy-ssl-allow-beast
        --proxy-ssl-auto-client-cert
        --proxy-tls13-ciphers <ciphersuite list>
        --proxy-tlsauthtype <type>
        --proxy-tlspassword <string>
        --proxy-tlsuser <name>
        --proxy-tlsv1
        -U, --proxy-user <user:password>
        --proxy1.0 <host[:port]>
        -p, --proxytunnel
        --pubkey <key>
        -Q, --quote <command>
        --random-file <file>
        -r, --range <range>
        --rate <max request rate>
        --raw
        -e, --referer <URL>
        -J, --remote-header-name
        -O, --remote-name
        --remote-name-all
        -R, --remote-time
        --remove-on-error
        -X, --request <method>
        --request-target <path>
        --resolve <[+]host:port:addr[,addr]...>
        --retry <num>
        --retry-all-errors
        --retry-connrefused
        --retry-delay <seconds>
        --retry-max-time <seconds>
        --sasl-authzid <identity>
        --sasl-ir
        --service-name <name>
        -S, --show-error
        -s, --silent
        --socks4 <host[:port]>
        --socks4a <host[:port]>
        --socks5 <host[:port]>
        --socks5-basic
        --socks5-gssapi
        --socks5-gssapi-nec
        --socks5-gssapi-service <name>
        --socks5-hostname <host[:port]>
        -Y, --speed-limit <speed>
        -y, --speed-time <seconds>
        --ssl
        --ssl-allow-beast
        --ssl-auto-client-cert
        --ssl-no-revoke
        --ssl-reqd
        --ssl-revoke-best-effort
        -2, --sslv2
        -3, --sslv3
        --stderr <file>
        --styled-output
        --suppress-connect-headers
        --tcp-fastopen
        --tcp-nodelay
        -t, --telnet-option <opt=val>
        --tftp-blksize <value>
        --tftp-no-options
        -z, --time-cond <time>
        --tls-max <VERSION>
        --tls13-ciphers <ciphersuite list>
        --tlsauthtype <type>
        --tlspassword <string>
        --tlsuser <name>
        -1, --tlsv1
        --tlsv1.0
        --tlsv1.1
        --tlsv1.2
        --tlsv1.3
        --tr-encoding
        --trace <file>
        --trace-ascii <file>
        --trace-time
        --unix-socket <path>
        -T, --upload-file <file>
        --url <url>
        --url-query <data>
        -B, --use-ascii
        -u, --user <user:password>
        -A, --user-agent <name>
        -v, --verbose
        -V, --version
        -w, --write-out <format>
        --xattr
        """
}
