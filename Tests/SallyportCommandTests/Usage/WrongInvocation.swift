import Testing

@testable import SallyportCommand

/// A command line that is refused, with the words that its message must contain: the mistake, and what to type instead.
struct WrongInvocation: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let words: [String]
    let status: SallyportCommand.ExitStatus

    init(_ arguments: [String], _ words: [String], status: SallyportCommand.ExitStatus = .usage) {
        self.arguments = arguments
        self.words = words
        self.status = status
    }

    var testDescription: String { arguments.joined(separator: " ") }

    /// The command lines in the order of `Docs/wrong-invocations.md`.
    static let all: [WrongInvocation] = [
        WrongInvocation(["frobnicate"], ["frobnicate", "sallyport --help"]),
        WrongInvocation(["gte", "https://example.com"], ["gte", "sallyport get?"]),
        WrongInvocation(["Get", "https://example.com"], ["\"Get\"", "sallyport get?"]),
        WrongInvocation(["fetch", "https://example.com"], ["\"fetch\"", "sallyport get?"]),
        WrongInvocation(["wget", "https://example.com"], ["\"wget\"", "sallyport download?"]),
        WrongInvocation(["version"], ["\"version\"", "sallyport --version?"]),
        WrongInvocation(["signin"], ["\"signin\"", "sallyport login?"]),
        WrongInvocation(["logot"], ["\"logot\"", "sallyport logout?"]),
        WrongInvocation(["queue", "ad"], ["\"ad\"", "sallyport queue add?"]),
        WrongInvocation(["help", "frob"], ["\"frob\"", "sallyport --help"]),
        WrongInvocation(["help", "queue", "ad"], ["\"ad\"", "sallyport queue add?"]),
        WrongInvocation(["inspect", "gte", "https://example.com"], ["\"gte\"", "sallyport get?"]),
        WrongInvocation(
            ["inspect", "get", "https://example.com", "--cookies", "a=b"],
            ["--cookies", "--cookie name=value"]
        ),
        WrongInvocation(["--frobnicate"], ["--frobnicate", "sallyport get"]),
        WrongInvocation(
            ["--verbose", "get", "https://example.com"],
            ["--verbose precedes", "sallyport get --verbose"]
        ),
        WrongInvocation(["get"], ["URL is missing", "sallyport get https://example.com"]),
        WrongInvocation(["request", "PUT"], ["URL", "sallyport request PUT https://example.com"]),
        WrongInvocation(["get", ""], ["URL is empty", "https://example.com"], status: .badURL),
        WrongInvocation(
            ["get", "example.com/x"],
            ["example.com/x", "did you mean https://example.com/x?"],
            status: .badURL
        ),
        WrongInvocation(["get", "ftp://example.com"], ["ftp", "http"], status: .badURL),
        WrongInvocation(["get", "https//example.com/x"], ["did you mean https://example.com/x?"], status: .badURL),
        WrongInvocation(["get", "http:/example.com/x"], ["did you mean http://example.com/x?"], status: .badURL),
        WrongInvocation(
            ["get", "http://example.com:180801/"],
            ["no valid host and port", "from 1 to 65535"],
            status: .badURL
        ),
        WrongInvocation(
            ["upload", "https://example.com", "photo.jpg"],
            ["URL precedes the files", "sallyport upload FILE URL"],
            status: .badURL
        ),
        WrongInvocation(
            ["download", "folder", "https://example.com/a.zip"],
            ["\"folder\" has no scheme", "folder after the URL"],
            status: .badURL
        ),
        WrongInvocation(
            ["pins", "http://example.com"],
            ["\"http://example.com\"", "write one such as example.com"],
            status: .badURL
        ),
        WrongInvocation(
            ["get", "https://example.com", "https://example.com/2"],
            ["second URL", "sallyport download"]
        ),
        WrongInvocation(["post", "https://example.com", "name=Ada"], ["name=…", "--json"]),
        WrongInvocation(["get", "https://example.com", "page==2"], ["page=…", "--query name=value"]),
        WrongInvocation(["post", "https://example.com", "count:=2"], ["count:…", "--json"]),
        WrongInvocation(["get", "https://example.com", "Accept:text/html"], ["Accept:…", "-H 'Name: value'"]),
        WrongInvocation(["post", "https://example.com", "@photo.jpg"], ["@photo.jpg", "--body @file"]),
        WrongInvocation(["get", "https://example.com", "two"], ["\"two\"", "quotation marks"]),
        WrongInvocation(["https://example.com", "name=Ada"], ["name=…", "--field name=value"]),
        WrongInvocation(["get", "--auth", "nope", "https://example.com"], ["after an equals sign", "--auth=nope"]),
        WrongInvocation(["get", "https://example.com", "--auth", "nope"], ["after an equals sign", "--auth=nope"]),
        WrongInvocation(["https://example.com", "POST"], ["\"POST\"", "sallyport request POST URL"]),
        WrongInvocation(["get", "https://example.com/a", "-O", "b"], ["\"b\"", "-o FILE"]),
        WrongInvocation(["https://example.com/a", "-O", "b"], ["\"b\"", "-o FILE"]),
        WrongInvocation(["post", "https://example.com", "{\"a\":1}"], ["JSON", "write --json before it"]),
        WrongInvocation(["login", "https://example.com"], ["unexpected URL", "--issuer"]),
        WrongInvocation(["login", "alice"], ["\"alice\"", "--profile", "--answer"]),
        WrongInvocation(["token", "work"], ["\"work\"", "--profile"]),
        WrongInvocation(["get", "https://example.com", "--tiemout", "5"], ["--tiemout", "--timeout"]),
        WrongInvocation(["get", "https://example.com", "-k"], ["-k", "--insecure"]),
        WrongInvocation(
            ["get", "https://example.com", "--no-check-certificate"],
            ["--no-check-certificate", "--cacert"]
        ),
        WrongInvocation(["get", "https://example.com", "-G"], ["-G", "--query"]),
        WrongInvocation(["https://example.com", "-I"], ["-I", "sallyport head"]),
        WrongInvocation(["get", "https://example.com", "-s"], ["-s", "omit it"]),
        WrongInvocation(["get", "https://example.com", "-x", "http://proxy:3128"], ["-x", "--proxy"]),
        WrongInvocation(["put", "https://example.com", "-T", "file"], ["-T", "sallyport upload"]),
        WrongInvocation(["get", "https://example.com", "-X", "PUT"], ["-X", "sallyport request METHOD URL"]),
        WrongInvocation(["get", "https://example.com", "--oauth2-bearer", "t"], ["--oauth2-bearer", "--bearer-file"]),
        WrongInvocation(["get", "https://example.com", "--http3"], ["--http3", "--http2"]),
        WrongInvocation(["get", "https://example.com", "--tlsv1.2"], ["--tlsv1.2", "omit it"]),
        WrongInvocation(["get", "https://example.com", "--max-redirects", "3"], ["--max-redirects", "--max-redirs"]),
        WrongInvocation(["post", "https://example.com", "--post-data", "a=1"], ["--post-data", "--data"]),
        WrongInvocation(["get", "https://example.com", "--check-status"], ["--check-status", "--fail"]),
        WrongInvocation(
            ["download", "https://example.com/a.iso", "-o", "a.iso"],
            ["-o", "sallyport download URL FILE"]
        ),
        WrongInvocation(
            ["upload", "a.jpg", "https://example.com", "-F", "a=b"],
            ["-F", "sallyport upload name=FILE URL"]
        ),
        WrongInvocation(["https://example.com", "--frobnicate"], ["--frobnicate", "sallyport request --help"]),
        WrongInvocation(["get", "https://example.com", "--pass", "x"], ["--pass", "--key-password-file"]),
        WrongInvocation(["get", "https://example.com", "--pats", "x"], ["--pats", "sallyport get --help"]),
        WrongInvocation(["get", "https://example.com", "--secure"], ["--secure", "sallyport get --help"]),
        WrongInvocation(["get", "https://example.com", "--anyauth"], ["--anyauth", "--digest"]),
        WrongInvocation(["get", "https://example.com", "--ntlm"], ["--ntlm", "--basic"]),
        WrongInvocation(["get", "https://example.com", "--negotiate"], ["--negotiate", "--basic"]),
        WrongInvocation(["get", "https://example.com", "--rate", "2/s"], ["--rate", "--limit-rate"]),
        WrongInvocation(["get", "https://example.com", "--proto", "=https"], ["--proto", "omit it"]),
        WrongInvocation(["get", "https://example.com", "-#"], ["-#", "sallyport download"]),
        WrongInvocation(["get", "https://example.com", "--create-dirs"], ["--create-dirs", "--into FOLDER"]),
        WrongInvocation(["get", "https://example.com", "--output-dir", "a"], ["--output-dir", "--into FOLDER"]),
        WrongInvocation(["get", "https://example.com", "-g"], ["-g", "omit it"]),
        WrongInvocation(["get", "https://example.com", "--location-trusted"], ["--location-trusted", "-L"]),
        WrongInvocation(["get", "https://example.com", "--parallel"], ["--parallel", "sallyport download"]),
        WrongInvocation(
            ["get", "https://example.com", "--remote-name-all"],
            ["--remote-name-all", "sallyport download"]
        ),
        WrongInvocation(["get", "https://example.com", "--connect-to", "a:1:b:2"], ["--connect-to", "--resolve"]),
        WrongInvocation(["get", "https://example.com", "--tls-max", "1.2"], ["--tls-max", "omit it"]),
        WrongInvocation(["get", "https://example.com", "--ciphers", "a"], ["--ciphers", "omit it"]),
        WrongInvocation(["get", "https://example.com", "--cert-type", "P12"], ["--cert-type", "omit it"]),
        WrongInvocation(["get", "https://example.com", "--ssl-no-revoke"], ["--ssl-no-revoke", "omit it"]),
        WrongInvocation(["get", "https://example.com", "--offline"], ["--offline", "--curl"]),
        WrongInvocation(["get", "https://example.com", "--stream"], ["--stream", "sallyport events"]),
        WrongInvocation(["get", "https://example.com", "--style", "a"], ["--style", "--color"]),
        WrongInvocation(["get", "https://example.com", "-j"], ["-j", "--json"]),
        WrongInvocation(["get", "https://example.com", "-0"], ["-0", "--http1.1"]),
        WrongInvocation(["get", "https://example.com", "-z", "yesterday"], ["-z", "If-Modified-Since"]),
        WrongInvocation(["get", "https://example.com", "--no-clobber"], ["--no-clobber", "sallyport download"]),
        WrongInvocation(["get", "https://example.com", "--etag-save", "a"], ["--etag-save", "--cache"]),
        WrongInvocation(["post", "https://example.com", "--post301"], ["--post301", "307 or 308"]),
        WrongInvocation(
            ["download", "https://example.com/a.iso", "--sha256", "00"],
            ["--sha256", "--digest sha-256="]
        ),
        WrongInvocation(["login", "--username", "alice"], ["--username", "--answers"]),
        WrongInvocation(
            ["get", "https://example.com", "--timeout"],
            ["--timeout needs a value", "--timeout <seconds>"]
        ),
        WrongInvocation(
            ["get", "https://example.com", "--timeout", "-1"],
            ["-1 is not a value", "must not be negative"]
        ),
        WrongInvocation(["get", "https://example.com", "--timeout", "ten"], ["\"ten\"", "such as 10"]),
        WrongInvocation(
            ["get", "https://example.com", "--timeout", "0"],
            ["--timeout", "greater than zero, such as 10"]
        ),
        WrongInvocation(["get", "https://example.com", "--follow", "2.5"], ["\"2.5\"", "whole number"]),
        WrongInvocation(["serve", "--port", "80x"], ["\"80x\"", "such as 8080"]),
        WrongInvocation(
            ["get", "https://example.com", "--output", "--fail"],
            ["--output needs a value", "--output <file>"]
        ),
        WrongInvocation(
            ["get", "https://example.com", "--fail=yes"],
            ["--fail takes no value", "write --fail alone"]
        ),
        WrongInvocation(["completions", "tcsh"], ["\"tcsh\"", "bash, zsh or fish"]),
        WrongInvocation(["get", "https://example.com", "-H", "no-colon"], ["the value of -H", "'Name: value'"]),
        WrongInvocation(["get", "https://example.com", "--query", "no-equals"], ["--query", "name=value"]),
        WrongInvocation(["get", "https://example.com", "-q", "a=b"], ["-q", "--query name=value"]),
        WrongInvocation(["post", "https://example.com", "--part", "a=b"], ["--part", "--form name=value"]),
        WrongInvocation(["post", "https://example.com", "--form-string", "a=b"], ["--form-string", "--form"]),
        WrongInvocation(["get", "https://example.com", "--trace", "file"], ["--trace", "--stages"]),
        WrongInvocation(["post", "https://example.com", "-F", "note=a;b"], ["the value of -F", "name=\"a;b\""]),
        WrongInvocation(["post", "https://example.com", "-F", "f=@a.txt,b.txt"], ["several files", "name=@\"a,b\""]),
        WrongInvocation(["post", "https://example.com", "-F", "phone=(030) 1"], ["parenthesis", "name=\"(…)\""]),
        WrongInvocation(["get", "https://example.com", "-e", "https://a.test;auto"], ["--referer", "omit ;auto"]),
        WrongInvocation(["get", "https://example.com", "-c", "-"], ["--cookie-jar", "name of a file"]),
        WrongInvocation(
            ["get", "https://example.com", "--cert", "client.pem:s3cret"],
            ["--cert", "--key-password-file"],
            status: .clientCertificate
        ),
        WrongInvocation(
            ["get", "https://example.com", "--resolve", "example.com:80"],
            ["\"example.com:80\"", "host:port:address"]
        ),
        WrongInvocation(["get", "https://example.com", "-r", "9-1"], ["9-1", "--range"]),
        WrongInvocation(
            ["get", "https://example.com", "-b", "session"],
            ["cookie file session", "--cookie session=1"],
            status: .unreadableInput
        ),
        WrongInvocation(
            ["get", "https://example.com", "-K", "missing.conf"],
            ["missing.conf", "No such file"],
            status: .unreadableInput
        ),
        WrongInvocation(["post", "https://example.com", "--json", "{'a': 1}"], ["line 1, column 2", "double quotes"]),
        WrongInvocation(
            ["post", "https://example.com", "--json", "{\"a\": [1, 2}"],
            ["line 1, column 12", "closing bracket"]
        ),
        WrongInvocation(["post", "https://example.com", "--json", "missing.json"], ["--json @FILE", "--body"]),
        WrongInvocation(["get", "https://example.com", "--key", "key.pem"], ["--key needs --cert", "--cert with"]),
        WrongInvocation(
            ["get", "https://example.com", "--retry-delay", "2"],
            ["--retry-delay", "specify it with --retry"]
        ),
        WrongInvocation(["get", "https://example.com/", "-O"], ["-O", "use -o"]),
        WrongInvocation(
            ["get", "https://example.com", "--http1.1", "--http2"],
            ["--http1.1 and --http2", "omit --http1.1"]
        ),
        WrongInvocation(
            ["post", "https://example.com", "--json", "{}", "-d", "a=1"],
            ["--json and --data", "omit one of them"]
        ),
        WrongInvocation(
            ["get", "https://example.com", "-u", "a:b", "--digest", "--basic"],
            ["--basic and --digest", "omit --basic"]
        ),
        WrongInvocation(
            ["get", "https://example.com", "--netrc", "--bearer-file", "f"],
            ["--netrc and --bearer-file", "omit --netrc"]
        ),
        WrongInvocation(["get", "https://example.com", "-4", "-6"], ["-4 and -6", "omit both"]),
        WrongInvocation(["get", "https://example.com/a", "-o", "b", "-O"], ["-o and -O", "omit -O"]),
        WrongInvocation(["request", "PUT", "https://example.com", "-X", "POST"], ["-X POST", "omit -X"]),
        WrongInvocation(
            ["get", "https://example.com", "--insecure", "--auth"],
            ["--insecure cannot be used with --auth", "omit --insecure"]
        ),
        WrongInvocation(
            ["get", "https://example.com", "--insecure", "--cacert", "ca.pem"],
            ["--insecure cannot be used with --cacert", "omit --insecure"]
        ),
        WrongInvocation(["get", "https://example.com", "--insecure", "--cache"], ["--cache", "omit --cache"]),
        WrongInvocation(
            ["get", "https://example.com", "--proxy-user-file", "f"],
            ["--proxy-user-file", "--proxy with a URL"]
        ),
        WrongInvocation(
            ["get", "https://example.com", "--no-proxy", "--noproxy", "localhost"],
            ["--no-proxy and --noproxy", "omit --no-proxy"]
        ),
        WrongInvocation(
            ["get", "https://example.com", "--fail", "--fail-with-body"],
            ["--fail and --fail-with-body", "omit --fail"]
        ),
        WrongInvocation(["get", "https://example.com", "--limit-rate", "fast"], ["\"fast\"", "such as 500, 10M"]),
        WrongInvocation(
            ["login", "--journey", "a", "--resume", "https://example.com/b"],
            ["--journey and --resume", "omit --journey"]
        ),
        WrongInvocation(["queue", "watch", "--at-once", "0"], ["--at-once", "from 1 to 64"]),
        WrongInvocation(["events", "https://example.com", "--count", "0"], ["--count", "greater than zero"]),
    ]
}
