/// Advice for options that other programs have, or that another command has.
enum OptionAdvice {
    /// Returns what to type instead of an unknown option; `nil` if it is not known.
    ///
    /// - Parameter command: The name of the command.
    static func advice(for option: String, of command: String?) -> String? {
        if let command, let advice = ofCommands[command]?[option] { return advice }
        return general[option] ?? CurlAdvice.advice(for: option)
    }

    /// Returns a Boolean value that indicates whether the argument parser's suggestion for an unknown option is a correction of its
    /// spelling. The parser also suggests options with another meaning, such as `--port` for `--pass`, which could send a secret.
    static func isProbable(_ suggestion: String, for option: String) -> Bool {
        let letters = option.filter { $0 != "-" }.count
        return EditDistance.between(option, suggestion) <= (letters < 8 ? 1 : 2)
    }

    private static let method = "use sallyport request METHOD URL, or sallyport URL -X METHOD"
    private static let withoutBody = "it sends no body; use sallyport post"

    private static let ofVerb = ["-X": method, "--request": method, "--method": method]
    private static let ofDownload = [
        "-o": "write the file after the URL: sallyport download URL FILE",
        "--output": "write the file after the URL: sallyport download URL FILE",
        "-O": "downloads get the name at the end of the URL without an option",
        "--remote-name": "downloads get the name at the end of the URL without an option",
        "-C": "downloads resume without an option", "--continue": "downloads resume without an option",
        "-P": "use --into FOLDER", "--directory-prefix": "use --into FOLDER", "-d": withoutBody, "--data": withoutBody,
        "--json": withoutBody, "--form": withoutBody, "-F": withoutBody, "--field": withoutBody,
        "--fail": "downloads fail for a status of 400 or more without an option",
        "-X": method, "-x": "use --parallel COUNT for parts, or --proxy URL for a proxy",
        "--split": "use --parallel COUNT", "-Z": "use --at-once COUNT", "-j": "use --at-once COUNT",
        "--checksum": "use --digest sha-256=DIGEST, or --checksums FILE", "--input-file": "use --input FILE",
        "--sha256": "use --digest sha-256=DIGEST", "--sha512": "use --digest sha-512=DIGEST",
        "--output-dir": "use --into FOLDER", "--create-dirs": "omit it: --into creates the folder",
        "--no-clobber": "omit it: existing files are kept; --skip-existing skips them",
        "--remote-name-all": "downloads get the name at the end of the URL without an option",
        "-#": "omit it: the progress is shown at a terminal",
        "--progress-bar": "omit it: the progress is shown at a terminal",
        "--rate": "use --at-once COUNT, or --limit-rate SIZE",
        "--max-download-limit": "use --limit-rate SIZE", "--max-overall-download-limit": "use --limit-rate SIZE",
        "-r": "use sallyport get -r RANGE", "--range": "use sallyport get --range RANGE",
    ]
    private static let ofUpload = [
        "-F": "write the part without an option: sallyport upload name=FILE URL",
        "--form": "write the part without an option: sallyport upload name=FILE URL, or use --field for a text field",
        "-T": "write the file without an option: sallyport upload FILE URL", "-X": "use --method METHOD",
        "--request": "use --method METHOD", "--fail": "uploads fail for a status of 400 or more without an option",
    ]
    private static let ofLogin = [
        "--user": user, "-u": user, "--username": user, "--login": user, "--password": user,
        "--url": "use --issuer URL", "--name": "use --profile NAME", "--auth": "use --profile NAME",
    ]
    private static let user = "the server asks for the user and the password; with --journey, use --answers FILE"
    private static let ofEvents = [
        "-d": withoutBody, "--data": withoutBody, "--json-body": withoutBody, "--body": withoutBody,
        "-N": "events are printed as they arrive without an option", "-X": "events are requested with GET",
    ]

    private static let ofCommands: [String: [String: String]] = [
        "get": ofVerb, "head": ofVerb, "post": ofVerb, "put": ofVerb, "patch": ofVerb, "delete": ofVerb,
        "options": ofVerb, "download": ofDownload, "upload": ofUpload, "events": ofEvents, "login": ofLogin,
    ]

    private static let globoff = "omit it: braces and brackets in a URL have no special meaning"
    private static let redirectedPost = "a redirected POST keeps its method only with the status 307 or 308"

    /// The options of curl, HTTPie and wget with other names here.
    private static let general = [
        "-k": "use --insecure, which is only spelled out, or better --cacert FILE to trust the server",
        "--no-check-certificate": "use --insecure, or better --cacert FILE to trust the server",
        "--verify":
            "certificates are verified; use --cacert FILE to trust an authority, or --insecure to verify nothing",
        "-G": "use --query name=value with sallyport get", "--get": "use --query name=value with sallyport get",
        "-I": "use sallyport head URL", "--head": "use sallyport head URL",
        "-s": "omit it: nothing but the response is written without -v",
        "--silent": "omit it: nothing but the response is written without -v",
        "-S": "omit it: errors are always shown", "--show-error": "omit it: errors are always shown",
        "-f": "use --fail, or --field name=value for a form", "-T": "use sallyport upload FILE URL",
        "--upload-file": "use sallyport upload FILE URL", "-x": "use --proxy URL",
        "-U": "use --proxy-user-file FILE, which others cannot see", "-E": "use --cert FILE",
        "--proxy-user": "use --proxy-user-file FILE, which others cannot see",
        "--preproxy": "use --proxy socks5://HOST:PORT", "--socks5": "use --proxy socks5://HOST:PORT",
        "--socks5-hostname": "use --proxy socks5h://HOST:PORT",
        "--oauth2-bearer": "use --bearer-file FILE, or --bearer-file - for standard input",
        "--bearer": "use --bearer-file FILE, or --bearer-file - for standard input",
        "--token": "use --bearer-file FILE, or --auth after sallyport login",
        "--profile": "use --auth=PROFILE", "-a": "use --user NAME, or --auth after sallyport login",
        "--password": "use --user NAME, and type the password when you are asked for it",
        "-C": "use sallyport download, which resumes", "--continue-at": "use sallyport download, which resumes",
        "-n": "use --netrc", "-N": "omit it: output is not delayed", "--no-buffer": "omit it: output is not delayed",
        "-D": "use -i to write the head of the response", "--dump-header": "use -i to write the head of the response",
        "-J": "use sallyport download, which uses the server's name for the file",
        "-Z": "use sallyport download for several URLs at a time",
        "--http1": "use --http1.1", "--http1.0": "HTTP/1.0 is not supported; use --http1.1",
        "--http3": "HTTP/3 is not supported; use --http2, or omit it",
        "--tlsv1.2": "omit it: TLS 1.2 or later is required",
        "--tlsv1.3": "omit it: TLS 1.3 is used if the server supports it",
        "-1": "omit it: TLS 1.2 or later is required", "--capath": "use --cacert FILE",
        "--pinnedpubkey": "use --pin HOST=sha256/…", "--data-ascii": "use --data",
        "--url": "write the URL without an option",
        "--form-string": "use --form 'name=\"value\"', whose quotation marks keep all characters",
        "--get-body": "use --body",
        "--max-redirect": "use --max-redirs COUNT",
        "--max-redirects": "use --max-redirs COUNT", "--redirects": "use -L or --max-redirs COUNT",
        "--no-follow": "omit it: redirects are not followed without -L",
        "--cookies": "use --cookie name=value, or --cookie FILE", "--session": "use --cookie-jar FILE",
        "--load-cookies": "use --cookie FILE", "--save-cookies": "use --cookie-jar FILE",
        "--post-data": "use --data with sallyport post", "--post-file": "use --body @FILE with sallyport post",
        "--headers": "use -H 'Name: value' to send a header, or -i to show those of the response",
        "--print": "use -i to write the head of the response, or -v for the request",
        "--pretty": "omit it, or use --raw",
        "--multipart": "use --form name=value", "--part": "use --form name=value", "--check-status": "use --fail",
        "--download": "use sallyport download URL",
        "--ignore-stdin": "omit it: standard input is read only for @-", "--tries": "use --retry COUNT",
        "--output-document": "use --output FILE", "--quiet": "omit it: nothing but the response is written without -v",
        "--no-verbose": "omit it: nothing but the response is written without -v", "--debug": "use -v or --stages",
        "--trace-ascii": "use -v, or --stages for the changes of each stage",
        "--disable": "set SALLYPORT_CONFIG to an empty text to read no file of options",
        "--retry-connrefused": "omit it: --retry also retries refused connections",
        "--max-filesize": "use sallyport download --max-filesize SIZE", "--digest-auth": "use --digest",
        "--auth-type": "use --basic or --digest", "--speed-limit": "use --timeout SECONDS",
        "--keepalive-time": "omit it: connections are kept alive", "--no-keepalive": "omit it",
        "--interface": "the system chooses the network interface", "--version": "use sallyport --version",
        "-V": "use sallyport --version", "-?": "use --help",
        "--pass": "use --key-password-file FILE, which others cannot see",
        "--key-file": "use --key FILE", "--cert-file": "use --cert FILE", "--ca-file": "use --cacert FILE",
        "--cert-key": "use --key FILE", "--cert-type": "omit it: PEM and PKCS #12 files are recognized",
        "--key-type": "omit it: PEM and PKCS #12 files are recognized",
        "--anyauth": "use --digest for Digest authentication, or omit it for Basic authentication",
        "--ntlm": "NTLM is not supported; use --basic or --digest",
        "--negotiate": "Negotiate is not supported; use --basic or --digest",
        "--aws-sigv4": "AWS signatures are not supported; use --basic or --digest",
        "--rate": "use --limit-rate SIZE to limit the bytes per second",
        "--proto": "omit it: only http and https can be used",
        "--proto-redir": "omit it: only http and https can be used",
        "--proto-default": "write the scheme in the URL",
        "--port": "write the port in the URL, as in https://example.com:8443",
        "-#": "use sallyport download, which shows its progress",
        "--progress-bar": "use sallyport download, which shows its progress",
        "--create-dirs": "create the folder before, or use sallyport download --into FOLDER",
        "--output-dir": "write the folder in the value of -o, or use sallyport download --into FOLDER",
        "--remote-name-all": "use sallyport download for several URLs", "-g": globoff, "--globoff": globoff,
        "--location-trusted": "use -L; credentials are sent only to the server of the URL",
        "--parallel": "use sallyport download for several URLs at a time",
        "--parallel-max": "use sallyport download --at-once COUNT for several URLs",
        "--connect-to": "use --resolve host:port:address",
        "--tls-max": "omit it: the highest version that the server supports is used",
        "--ciphers": "omit it: cipher suites cannot be selected",
        "--tls13-ciphers": "omit it: cipher suites cannot be selected",
        "--ssl-no-revoke": "omit it", "--ssl-reqd": "write https:// in the URL",
        "--offline": "use --curl, which sends nothing",
        "--stream": "omit it, or use sallyport events URL for server-sent events",
        "--style": "use --color auto, always or never", "-j": "use --json TEXT for a JSON body",
        "-0": "HTTP/1.0 is not supported; use --http1.1",
        "-z": "use -H 'If-Modified-Since: DATE'", "--time-cond": "use -H 'If-Modified-Since: DATE'",
        "--no-clobber": "use sallyport download, which keeps existing files",
        "--etag-save": "use --cache, which sends the ETag of a stored response",
        "--etag-compare": "use --cache, which sends the ETag of a stored response",
        "--post301": redirectedPost, "--post302": redirectedPost, "--post303": redirectedPost,
        "--params": "use --query name=value", "--param": "use --query name=value",
    ]
}
