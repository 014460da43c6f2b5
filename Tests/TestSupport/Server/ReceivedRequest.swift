import Foundation

/// A parsed request, as received by a server.
public struct ReceivedRequest: Sendable {
    /// The method, as sent.
    public var method = ""
    /// The target, as sent.
    public var target = ""
    /// The version, as sent, such as `HTTP/1.1`.
    public var version = ""
    /// The header fields in order, with names as sent and values without surrounding whitespace.
    public var fields: [(name: String, value: String)] = []
    /// The body after decoding of the transfer coding.
    public var body: [UInt8] = []
    /// The trailer fields of a chunked body.
    public var trailers: [(name: String, value: String)] = []
    /// The end of the request in the received bytes, or `nil` for an incomplete one.
    var end: Int?

    /// The body as text.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// A Boolean value that indicates whether the request is complete.
    public var isComplete: Bool { end != nil }

    /// Returns the values of the fields with a name, ignoring case.
    public subscript(name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Returns the requests in received bytes, of which the last may be incomplete.
    static func all(in bytes: [UInt8]) -> [ReceivedRequest] {
        var requests: [ReceivedRequest] = []
        var start = 0
        while start < bytes.count, let request = first(in: bytes[start...]) {
            requests.append(request)
            guard let end = request.end else { break }
            start = end
        }
        return requests
    }

    /// Parses the first request in received bytes; `nil` if its head is incomplete.
    static func first(in bytes: ArraySlice<UInt8>) -> ReceivedRequest? {
        var reader = LineReader(bytes: bytes)
        guard let line = reader.line() else { return nil }
        var request = ReceivedRequest()
        let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        request.method = parts.first ?? ""
        request.target = parts.dropFirst().dropLast().joined(separator: " ")
        request.version = parts.last ?? ""
        guard let fields = reader.fields() else { return nil }
        request.fields = fields
        if request["Transfer-Encoding"].last?.lowercased() == "chunked" {
            request.readChunks(&reader)
        } else {
            let length = request["Content-Length"].first.flatMap(Int.init) ?? 0
            request.body = Array(reader.rest.prefix(length))
            if request.body.count == length { request.end = reader.position + length }
        }
        return request
    }

    private mutating func readChunks(_ reader: inout LineReader) {
        while let line = reader.line() {
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else { return }
            if size == 0 {
                guard let trailers = reader.fields() else { return }
                self.trailers = trailers
                end = reader.position
                return
            }
            body.append(contentsOf: reader.rest.prefix(size))
            guard reader.skip(size + 2) else { return }
        }
    }
}

/// Reads lines that end in CR LF.
private struct LineReader {
    let bytes: ArraySlice<UInt8>
    var position: Int

    init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func line() -> String? {
        guard let newline = rest.firstIndex(of: 0x0A) else { return nil }
        let line = bytes[position..<newline]
        position = newline + 1
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }

    mutating func fields() -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        while let line = line() {
            if line.isEmpty { return fields }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            fields.append((String(parts[0]), parts.dropFirst().joined().trimmingCharacters(in: .whitespaces)))
        }
        return nil
    }

    mutating func skip(_ count: Int) -> Bool {
        guard rest.count >= count else { return false }
        position += count
        return true
    }
}
