import Foundation
import Sallyport

/// The options for the form of a response.
struct ResponseStyle: Sendable {
    /// A Boolean value that indicates whether the response is written unchanged.
    var isRaw = false
    /// A Boolean value that indicates whether the head is written before the body; `nil` if only a terminal shows it.
    var includesHead: Bool?
    var color = ColorChoice.auto
    /// A Boolean value that indicates whether standard error shows the head.
    var isVerbose = false
}

/// Writes a response. A terminal shows its head and, in a readable form, its body; a pipe or a file receives only the body, unchanged.
struct ResponseWriter {
    let style: ResponseStyle
    let output: ResponseOutput
    /// The reaction to a status of 400 or more.
    var failure = FailureOption.none
    /// The record of the call, to which the size of the body is added.
    var measurements: CallMeasurements?

    enum FailureOption {
        case none
        /// `--fail`: no body is written.
        case withoutBody
        /// `--fail-with-body`
        case withBody
    }

    /// Writes the response.
    ///
    /// - Throws: A failure for a status of 400 or more, if an option requires it; `NetworkError`.
    func write(_ response: HttpResponse) async throws {
        let start = ContinuousClock.now
        let showsHead = showsHead(of: response)
        if showsHead { try await writeHead(of: response) }
        let isRefused = failure != .none && response.status.code >= 400
        if isRefused, failure == .withoutBody { throw await refusal(of: response) }
        let size = isFormatted ? try await show(response) : try await writeBody(of: response)
        if style.isVerbose {
            Self.showSummary(of: response, size, in: ContinuousClock.now - start)
        } else if size == 0, !showsHead, !style.isRaw, StandardError.isTerminal {
            let line = response.status.line(response.connection.httpVersion)
            StandardError.print(SecretMasker(sentBy: response.request).masked(line))
        }
        if isRefused {
            try await output.finish()
            throw CommandFailure(.errorResponse, refusalText(of: response))
        }
    }

    /// Writes a response whose body is in memory.
    func writeCollected(_ response: HttpResponse, isRefused: Bool = false) async throws {
        if showsHead(of: response) { try await writeHead(of: response) }
        if !isRefused { try await writeCollectedBody(of: response) }
    }

    /// Writes a body that is in memory.
    func writeCollectedBody(of response: HttpResponse) async throws {
        if isFormatted { _ = try await show(response) } else { try await output.write(response.body ?? Data()) }
    }

    // MARK: Failures

    /// The maximum length of a body that is searched for an explanation, in bytes.
    private static let maximumRefusalSize = 64 << 10

    private func refusal(of response: HttpResponse) async -> CommandFailure {
        let body = await response.bodyStream.beginning(upTo: Self.maximumRefusalSize, within: .seconds(1)).bytes
        let type = response.getHeader(name: NetworkConstants.headerContentType)
        let masker = SecretMasker(sentBy: response.request)
        let message = ServerMessage(in: body, contentType: type, masking: masker).message.map { ": \"\($0)\"" } ?? ""
        return CommandFailure(.errorResponse, refusalText(of: response) + message)
    }

    private func refusalText(of response: HttpResponse) -> String {
        "\(response.request): the server answered \(response.statusSummary)"
    }

    // MARK: Head

    private func showsHead(of response: HttpResponse) -> Bool {
        if response.request.getMethod() == .head { return true }
        return style.includesHead
            ?? (output.isTerminal && !style.isRaw && !(style.isVerbose && StandardError.isTerminal))
    }

    private func writeHead(of response: HttpResponse) async throws {
        guard isFormatted else { return try await output.write(response.headData) }
        try await output.draw(response.headText(style.color.paint(on: STDOUT_FILENO)))
    }

    // MARK: Body

    /// A Boolean value that indicates whether the response is shown in a readable form.
    private var isFormatted: Bool {
        if style.isRaw { return false }
        if case .standardOutput = output { return style.color == .always }
        return output.isTerminal
    }

    private func writeBody(of response: HttpResponse) async throws -> Int64 {
        let body = response.bodyStream
        var size: Int64 = 0
        var bar = ProgressBar.isWanted(for: output, length: body.length) ? ProgressBar(length: body.length) : nil
        defer { bar?.end() }
        measurements?.beginBody(of: response)
        for try await chunk in body {
            try await output.write(chunk)
            size += Int64(chunk.count)
            measurements?.add(body: chunk.count)
            bar?.advance(by: chunk.count)
        }
        return size
    }

    /// Shows the body in a readable form, which ends with a line break.
    private func show(_ response: HttpResponse) async throws -> Int64 {
        let body = response.bodyStream
        let type = response.getHeader(name: NetworkConstants.headerContentType)
        var display = BodyDisplay(
            contentType: type,
            isTerminal: output.isTerminal,
            paint: style.color.paint(on: STDOUT_FILENO)
        )
        var size: Int64 = 0
        var endsLine = true
        func write(_ part: BodyDisplay.Part) async throws {
            switch part {
            case .nothing, .binary: break
            case .text(let data):
                try await output.write(data)
                endsLine = data.last.map { $0 == UInt8(ascii: "\n") } ?? endsLine
            case .formatted(let text):
                try await output.draw(text)
                endsLine = true
            }
        }
        var isBinary = false
        measurements?.beginBody(of: response)
        do {
            for try await chunk in body {
                size += Int64(chunk.count)
                measurements?.add(body: chunk.count)
                if isBinary { continue }
                let part = display.add(chunk)
                if case .binary = part { isBinary = true } else { try await write(part) }
                // The rest is read only if its size is wanted.
                if isBinary, measurements == nil, !style.isVerbose { break }
            }
        } catch {
            try await write(display.end(isComplete: false))
            if !endsLine { try await output.draw("\n") }
            throw error
        }
        if isBinary {
            Self.explainBinary(type, body.length ?? (measurements == nil && !style.isVerbose ? nil : size))
            return body.length ?? size
        }
        try await write(display.end())
        if !endsLine, output.isTerminal { try await output.draw("\n") }
        return size
    }

    private static func explainBinary(_ type: String?, _ length: Int64?) {
        let name = MediaTypeName(type).description
        let facts = [name.isEmpty ? nil : name, length.map(Format.size)].compactMap(\.self).joined(separator: ", ")
        StandardError.print(
            """
            sallyport: the body is binary\(facts.isEmpty ? "" : " (\(facts))") and is not shown; save it with \
            --output FILE, or write it with --raw
            """
        )
    }

    /// Shows on standard error the trailers, the size of the body and, if it is known, the time that it took to receive the body.
    static func showSummary(of response: HttpResponse, _ size: Int64, in time: Duration? = nil) {
        var masker = SecretMasker(sentBy: response.request)
        for field in response.trailers { StandardError.print("< \(Redaction.line(field, &masker))") }
        StandardError.print("* body: \(Format.size(size))\(time.map { " in \(Format.time($0))" } ?? "")")
    }
}

extension HttpResponse {
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

    /// The status line, the header fields and an empty line, with control characters escaped.
    fileprivate func headText(_ paint: Paint) -> String {
        let color: Paint.Style =
            switch status.code {
            case ..<300: .green
            case ..<400: .cyan
            case ..<500: .yellow
            default: .red
            }
        let fields = headers.fields.map { field in
            "\(paint(VisibleText.line(field.name.rawName), .blue)): \(VisibleText.line(field.value))"
        }
        let line = paint(VisibleText.line(status.line(connection.httpVersion)), color)
        return ([line] + fields).map { $0 + "\n" }.joined() + "\n"
    }
}
