import Foundation
import Sallyport

/// Writes a response in the format that the options select.
struct ResponseWriter {
    let options: OutputOptions
    /// A Boolean value that indicates whether the response head is written before the body.
    let includesHead: Bool
    let output: ResponseOutput
    /// The maximum length of JSON to indent, in bytes. Longer JSON is written unchanged.
    private static let maximumPrettyLength = 1 << 20

    func write(_ response: HttpResponse) async throws {
        let start = ContinuousClock.now
        if includesHead || response.request.getMethod() == .head { try await output.write(response.headData) }
        if options.fail, response.status.code >= 400 {
            throw CommandFailure(.errorResponse, "\(response.request): the server answered \(response.status.summary)")
        }
        let isPretty = !options.raw && output.isTerminal && response.isJson
        let size = isPretty ? try await writePretty(response.bodyStream) : try await writeBody(of: response)
        if options.verbose { Self.showSummary(of: response, size, in: ContinuousClock.now - start) }
    }

    /// Writes the body of a response that is in memory. Indents JSON on a terminal.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - output: The destination.
    ///   - isRaw: If `true`, JSON is not indented.
    /// - Returns: The written bytes.
    @discardableResult
    static func writeCollectedBody(
        of response: HttpResponse,
        to output: ResponseOutput,
        isRaw: Bool = false
    ) async throws -> Data {
        var body = response.body ?? Data()
        if !isRaw, output.isTerminal, response.isJson, body.count <= maximumPrettyLength {
            body = PrettyJson.format(body) ?? body
        }
        try await output.write(body)
        return body
    }

    private func writeBody(of response: HttpResponse) async throws -> Int64 {
        let body = response.bodyStream
        var size: Int64 = 0
        var bar = ProgressBar.isWanted(for: output, length: body.length) ? ProgressBar(length: body.length) : nil
        defer { bar?.end() }
        for try await chunk in body {
            try await output.write(chunk)
            size += Int64(chunk.count)
            bar?.advance(by: chunk.count)
        }
        return size
    }

    /// Writes indented JSON. A body that is too long or not valid JSON is written unchanged.
    private func writePretty(_ body: ResponseBody) async throws -> Int64 {
        var size: Int64 = 0
        // The body so far, until it is too long to indent.
        var buffer: Data? = Data()
        do {
            for try await chunk in body {
                size += Int64(chunk.count)
                if buffer == nil {
                    try await output.write(chunk)
                    continue
                }
                buffer?.append(chunk)
                if size > Self.maximumPrettyLength { try await flush(&buffer) }
            }
        } catch {
            try await flush(&buffer)
            throw error
        }
        if let pretty = buffer.flatMap(PrettyJson.format) { buffer = pretty }
        try await flush(&buffer)
        return size
    }

    private func flush(_ buffer: inout Data?) async throws {
        guard let data = buffer else { return }
        buffer = nil
        try await output.write(data)
    }

    /// Shows the trailers, the size of the body, and the time in which it was received, if it is known, on standard error.
    static func showSummary(of response: HttpResponse, _ size: Int64, in time: Duration? = nil) {
        for line in response.trailers.map(Redaction.line) { StandardError.print("< \(line)") }
        StandardError.print("* body: \(Format.size(size))\(time.map { " in \(Format.time($0))" } ?? "")")
    }
}

extension HttpResponse {
    /// A Boolean value that indicates whether the content type is `application/json` or ends with `+json`.
    fileprivate var isJson: Bool {
        let type = (headers["Content-Type"]?.first?.prefix { $0 != ";" } ?? "").trimmingCharacters(in: .whitespaces)
        return type.lowercased() == NetworkConstants.contentTypeJSON || type.lowercased().hasSuffix("+json")
    }

    /// The status line and header fields in the format of HTTP/1.1.
    var headData: Data {
        var head = Data("\(status.line(connection.httpVersion))\r\n".utf8)
        for field in headers.fields {
            head += Data("\(field.name.rawName): ".utf8)
            field.withUnsafeBytesOfValue { head += Data($0) }
            head += Data("\r\n".utf8)
        }
        return head + Data("\r\n".utf8)
    }
}
