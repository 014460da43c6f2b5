import ArgumentParser
import Foundation
import Sallyport

/// A format of `--write-out`, with the syntax of curl: text with variables such as `%{http_code}`, and the escapes `\n`, `\r` and `\t`.
struct WriteOutFormat: Sendable {
    enum Piece: Equatable, Sendable {
        case text(String)
        case variable(WriteOutVariable)
        /// `%{url.host}` or `%{urle.host}`: a part of the command's URL, or of the URL of the last request.
        case urlPart(WriteOutURLPart, isOfLastRequest: Bool)
        /// `%header{name}`: the first value of a header of the last response.
        case header(String)
        /// `%{json}`: all variables in a JSON object.
        case json
        /// `%{header_json}`: the headers of the last response in a JSON object.
        case headerJson
        /// `%{stderr}` or `%{stdout}`: the destination of the rest.
        case destination(isStandardError: Bool)
        /// `%{onerror}`: the rest is written only if the call failed.
        case onError
    }

    let pieces: [Piece]

    /// Parses a format.
    ///
    /// - Throws: A failure that names a variable that does not exist.
    init(_ format: String) throws(CommandFailure) {
        var pieces: [Piece] = []
        var text = ""
        var rest = format[...]
        func take(_ prefix: String) -> Bool {
            guard rest.hasPrefix(prefix) else { return false }
            rest = rest.dropFirst(prefix.count)
            return true
        }
        while !rest.isEmpty {
            if take("%%") {
                text += "%"
            } else if take("\\n") {
                text += "\n"
            } else if take("\\r") {
                text += "\r"
            } else if take("\\t") {
                text += "\t"
            } else if let start = ["%header{", "%{"].first(where: { rest.hasPrefix($0) }),
                let end = rest.firstIndex(of: "}")
            {
                let name = String(rest[..<end].dropFirst(start.count))
                rest = rest[end...].dropFirst()
                if !text.isEmpty { pieces.append(.text(text)) }
                text = ""
                pieces.append(start == "%{" ? try Self.piece(named: name) : .header(name))
            } else if rest.hasPrefix("%output{") {
                throw CommandFailure(
                    .usage,
                    "--write-out has no %output{…}; write the body to a file with --output, and redirect standard output"
                )
            } else if rest.hasPrefix("%time{") {
                throw CommandFailure(.usage, "--write-out has no %time{…}; use the command date")
            } else {
                text.append(rest.removeFirst())
            }
        }
        if !text.isEmpty { pieces.append(.text(text)) }
        self.pieces = pieces
    }

    /// Reads the format from the value of the option: a text, `@file`, or `@-` for standard input.
    ///
    /// - Throws: A failure that names a file that cannot be read, or a variable that does not exist; `CancellationError`.
    init(option: String) async throws {
        let data = try await InputSource(option).data()
        try self.init(String(decoding: data, as: UTF8.self))
    }

    private static func piece(named name: String) throws(CommandFailure) -> Piece {
        switch name {
        case "json": return .json
        case "header_json": return .headerJson
        case "stderr": return .destination(isStandardError: true)
        case "stdout": return .destination(isStandardError: false)
        case "onerror": return .onError
        default:
            if let variable = WriteOutVariable(rawValue: name) { return .variable(variable) }
            for (start, isOfLastRequest) in [("url.", false), ("urle.", true)] where name.hasPrefix(start) {
                if let part = WriteOutURLPart(rawValue: String(name.dropFirst(start.count))) {
                    return .urlPart(part, isOfLastRequest: isOfLastRequest)
                }
            }
            let shown = VisibleText.line(name, longest: 60)
            let others = WriteOutVariable.allCases.map(\.rawValue).filter { $0.isSimilar(to: name) }
            let advice =
                others.isEmpty
                ? "the variables are \((WriteOutVariable.allCases.map(\.rawValue) + specialNames).sorted().joined(separator: ", "))"
                : "did you mean \(others.map { "%{\($0)}" }.joined(separator: " or "))?"
            throw CommandFailure(.usage, "--write-out has no variable %{\(shown)}; \(advice)")
        }
    }

    private static let specialNames =
        ["json", "header_json", "stderr", "stdout", "onerror"]
        + WriteOutURLPart.allCases.flatMap { ["url.\($0)", "urle.\($0)"] }
}

extension String {
    /// Returns a Boolean value that indicates whether two names share a part between underscores that is not common, or differ in their
    /// case only.
    fileprivate func isSimilar(to other: String) -> Bool {
        let common: Set<Substring> = ["num", "size", "time", "http", "url", "proxy", "ssl"]
        let parts = Set(split(separator: "_")).subtracting(common)
        let others = Set(other.lowercased().split { $0 == "_" || $0 == "-" }).subtracting(common)
        return lowercased() == other.lowercased() || !parts.isDisjoint(with: others)
            || other.count > 4 && hasPrefix(other.dropLast()) || count > 4 && other.hasPrefix(dropLast())
    }
}

extension WriteOutFormat {
    /// The text to write, for each destination in order.
    typealias Output = [(isStandardError: Bool, text: String)]

    /// Returns the text for a call that has ended.
    ///
    /// - Parameter isTerminal: Returns `true` if standard error or standard output is a terminal. Control characters in values are escaped
    ///   for a terminal.
    func output(of values: WriteOutValues, isTerminal: (_ isStandardError: Bool) -> Bool = { _ in false }) -> Output {
        var output: Output = []
        var isStandardError = false
        func append(_ text: String) {
            if output.last?.isStandardError == isStandardError {
                output[output.count - 1].text += text
            } else {
                output.append((isStandardError, text))
            }
        }
        func escaped(_ text: String) -> String { isTerminal(isStandardError) ? VisibleText.lines(text) : text }
        for piece in pieces {
            switch piece {
            case .text(let text): append(text)
            case .variable(let variable): append(escaped(values.text(of: variable)))
            case .urlPart(let part, let isOfLast):
                append(escaped(part.text(of: isOfLast ? values.finalURL : values.url)))
            case .header(let name): append(escaped(values.header(name)))
            case .json: append(values.json)
            case .headerJson: append(values.headerJson)
            case .destination(let isError): isStandardError = isError
            case .onError: if values.failure == nil { return output }
            }
        }
        return output
    }
}
