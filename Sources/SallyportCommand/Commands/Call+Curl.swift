import Foundation
import Sallyport

extension Call {
    /// Prints a curl command that does what the call would do.
    ///
    /// - Parameters:
    ///   - words: What else curl is to be told.
    ///   - change: What else is done to the request before it is sent.
    func printCurl(adding words: [String] = [], _ change: (inout HttpRequest) -> Void = { _ in }) async throws {
        let usesDigest = options.authentication.digest
        var request = request
        for credentials in credentials { request = try credentials.applied(to: request, usingDigest: usesDigest) }
        change(&request)
        StandardHeaders().add(to: &request)
        let isMultipart = !options.content.part.isEmpty
        if isMultipart {
            request.body = .none
            request.removeHeader(name: NetworkConstants.headerContentType)
        }
        let command = request.curlDescription(showingSecrets: options.output.showSecrets)
        let credentialWords = credentials.flatMap { credentials in
            credentials.curlWords(usingDigest: usesDigest, showingSecrets: options.output.showSecrets)
        }
        let all = (isMultipart ? partWords : []) + credentialWords + (await options.curlWords()) + words
        print(([command] + all.map(ShellText.quoted)).joined(separator: " "))
    }

    /// curl makes a boundary of its own.
    private var partWords: [String] {
        options.content.part.flatMap { part in
            let filename = part.filename.map { ";filename=" + Self.inQuotes($0) }
            let attributes = (part.contentType.map { ";type=\($0)" } ?? "") + (filename ?? "")
            switch part.source {
            case .file(let path): return ["--form", "\(part.name)=@\(Self.inQuotes(path))\(attributes)"]
            case .text(let text):
                let text = options.output.showSecrets ? text : Redaction.value(text, of: part.name)
                if attributes.isEmpty { return ["--form-string", "\(part.name)=\(text)"] }
                return ["--form", "\(part.name)=\(Self.inQuotes(text))\(attributes)"]
            case .standardInput: return []
            }
        }
    }

    /// A word of curl's own for `--form`, which would end at a semicolon or comma, and be a file after `<`.
    private static func inQuotes(_ text: String) -> String {
        if !text.contains(where: { ";,\"\\<@ ".contains($0) }) { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension RequestOptions {
    /// Returns the options of curl that say how to send the request and what to do with its response.
    fileprivate func curlWords() async -> [String] {
        var words: [String] = []
        func add(_ name: String, _ value: String?) { if let value { words += [name, value] } }
        if let follow = connection.follow { words += ["--location", "--max-redirs", "\(follow)"] }
        add("--max-time", connection.timeout.map { "\($0)" })
        add("--connect-timeout", connection.connectTimeout.map { "\($0)" })
        for override in connection.resolve {
            add("--resolve", "\(override.host):\(override.port):\(override.addresses.joined(separator: ","))")
        }
        switch connection.version {
        case .http1: words.append("--http1.1")
        case .http2: words.append(url.lowercased().hasPrefix("https:") ? "--http2" : "--http2-prior-knowledge")
        case nil: break
        }
        words += retries.curlWords
        words += pins.curlWords(for: url)
        words += await proxy.curlWords(showingSecrets: output.showSecrets)
        add("--cacert", security.authorities)
        add("--cert", security.certificate)
        add("--key", security.key)
        add("--cookie", cookies.cookieJar)
        add("--cookie-jar", cookies.cookieJar)
        add("--output", place.output)
        let flags = [
            (output.compressed, "--compressed"), (output.fail, "--fail"), (place.include, "--include"),
            (output.verbose, "--verbose"),
        ]
        return words + flags.filter(\.0).map(\.1)
    }
}
