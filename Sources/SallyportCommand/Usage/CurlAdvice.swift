/// Advice for the options of curl that the command does not have, if ``OptionAdvice`` has none that is more specific.
enum CurlAdvice {
    /// The advice, with the options that it applies to. `Docs/curl-options.md` lists all options of curl.
    private static let table: [(advice: String, options: String)] = [
        (
            "omit it: only http and https can be used",
            """
            -a --append --compressed-ssh --crlf --disable-eprt --disable-epsv --ftp-account --ftp-alternative-to-user \
            --ftp-create-dirs --ftp-method --ftp-pasv -P --ftp-port --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc \
            --ftp-ssl-ccc-mode --ftp-ssl-control --hostpubmd5 --hostpubsha256 --krb -l --list-only --login-options --mail-auth \
            --mail-from --mail-rcpt --mail-rcpt-allowfails --pubkey -Q --quote --sasl-authzid --sasl-ir --ssl -t \
            --telnet-option --tftp-blksize --tftp-no-options -B --use-ascii
            """
        ),
        (
            "omit it: TLS 1.2 or later is required",
            "--tlsv1 --tlsv1.0 --tlsv1.1 -2 --sslv2 -3 --sslv3 --ssl-allow-beast --proxy-tlsv1 --proxy-ssl-allow-beast"
        ),
        (
            "omit it: the TLS library has no such setting",
            """
            --curves --engine --egd-file --random-file --false-start --no-npn --no-sessionid --ssl-auto-client-cert \
            --proxy-ssl-auto-client-cert --proxy-ciphers --proxy-tls13-ciphers --ssl-revoke-best-effort
            """
        ),
        (
            "use --cert FILE; TLS passwords are not supported",
            "--tlsauthtype --tlspassword --tlsuser --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser"
        ),
        ("use --http1.1, with which TLS selects no other version", "--no-alpn"),
        ("omit it: revoked certificates are not looked up", "--cert-status --crlfile --proxy-crlfile"),
        (
            "use --resolve host:port:address, or the name servers of the system",
            "--dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-cert-status --doh-insecure --doh-url"
        ),
        ("use --unix-socket PATH; abstract sockets are not supported", "--abstract-unix-socket"),
        ("omit it: the server's other addresses and protocols are not stored", "--alt-svc"),
        ("write https:// in the URL; hosts that require it are not stored", "--hsts"),
        ("the system chooses the local port", "--local-port"),
        (
            "omit it: the system and the client choose the settings of a connection",
            "--tcp-fastopen --tcp-nodelay --happy-eyeballs-timeout-ms --haproxy-protocol --expect100-timeout"
        ),
        ("HTTP/0.9 is not supported; omit it", "--http0.9"),
        ("HTTP/3 is not supported; use --http2-prior-knowledge, or omit it", "--http3-only"),
        ("omit it: a body with a wrong length is always an error", "--ignore-content-length"),
        ("omit it: a transfer coding is not requested; use --compressed", "--tr-encoding"),
        ("write the complete URL; another target is not supported", "--request-target"),
        ("omit it: dots in a path are resolved before a request is sent", "--path-as-is"),
        ("use --query name=value, whose value is escaped", "--url-query"),
        ("use --query name=value for a parameter, or set SALLYPORT_CONFIG to an empty text to read no file", "-q"),
        ("run the command for each URL", "-: --next"),
        ("omit it: the command has one URL", "--fail-early --parallel-immediate"),
        ("use --netrc, or --user", "--netrc-optional"),
        ("write the user with --user, or omit it from the URL", "--disallow-username-in-url"),
        ("it is not supported; use --basic or --digest", "--ntlm-wb --delegation --service-name"),
        ("omit it, and pass a file without these cookies to -b", "--junk-session-cookies"),
        (
            "use --proxy-user-file FILE; the proxy's scheme is Basic",
            "--proxy-anyauth --proxy-basic --proxy-digest --proxy-negotiate --proxy-ntlm --proxy-service-name"
        ),
        (
            "client certificates are for servers, not for proxies; use --proxy-user-file FILE",
            "--proxy-cert --proxy-cert-type --proxy-key --proxy-key-type --proxy-pass"
        ),
        ("use --proxy-cacert FILE", "--proxy-capath --proxy-insecure --proxy-pinnedpubkey"),
        ("headers for proxies are not supported; use --proxy-user-file FILE for its user", "--proxy-header"),
        ("use --proxy http://HOST:PORT", "--proxy1.0 -p --proxytunnel"),
        (
            "use --proxy socks5://HOST:PORT, or socks5h:// for names that the proxy resolves",
            "--socks4 --socks4a --socks5-basic --socks5-gssapi --socks5-gssapi-nec --socks5-gssapi-service"
        ),
        ("use --timeout SECONDS", "-Y -y --speed-time"),
        ("omit it: names are escaped as in browsers", "--form-escape"),
        ("use -v, or --stages for the changes of each stage", "--trace --trace-time"),
        ("use --curl for the equivalent command of curl", "--libcurl"),
        ("use --help", "-M --manual"),
        ("omit it: nothing but the response is written without -v", "--no-progress-meter"),
        ("redirect standard error in the shell: 2> FILE", "--stderr"),
        ("use --color auto, always or never", "--styled-output"),
        ("omit it: the answers of proxies are not written without -v", "--suppress-connect-headers"),
        ("omit it: an incomplete file gets no name", "--remove-on-error"),
        ("use umask in the shell", "--create-file-mode"),
        ("use sallyport download, which uses the server's name for the file", "--remote-header-name"),
        ("omit it: a file has the time of its creation", "-R --remote-time --xattr"),
        ("use sallyport download --input FILE for a list of URLs", "--metalink"),
    ]

    private static let byOption: [String: String] = {
        var byOption: [String: String] = [:]
        for (advice, options) in table {
            for option in options.split(separator: " ") { byOption[String(option)] = advice }
        }
        return byOption
    }()

    /// Returns what to type instead of an option of curl; `nil` if it is not in the table.
    static func advice(for option: String) -> String? { byOption[option] }
}
