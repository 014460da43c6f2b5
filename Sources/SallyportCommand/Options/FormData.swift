import Foundation
import Sallyport

/// The content of curl's options `--data`, `--data-raw`, `--data-binary` and `--data-urlencode`: pieces that are joined by `&`.
struct FormData: Sendable {
    /// A piece, with the source of its bytes.
    struct Piece: Sendable {
        fileprivate enum Encoding: Sendable {
            /// The bytes are sent unchanged.
            case none
            /// Line breaks and null bytes are removed, as `--data` does with files.
            case withoutLineBreaks
            /// The bytes are percent-encoded, after a name and an equals sign if there is a name.
            case percent(name: String?)
        }

        fileprivate let source: InputSource
        fileprivate let encoding: Encoding

        /// Creates a piece from an argument of `--data`: text, or a file without its line breaks as `@file`.
        init(data argument: String) {
            source = InputSource(argument)
            encoding = if case .text = source { .none } else { .withoutLineBreaks }
        }

        /// Creates a piece from an argument of `--data-raw`. An `@` has no meaning there.
        init(raw argument: String) { (source, encoding) = (.text(argument), .none) }

        /// Creates a piece from an argument of `--data-binary`: text, or an unchanged file as `@file`.
        init(binary argument: String) { (source, encoding) = (InputSource(argument), .none) }

        /// Creates a piece from an argument of `--data-urlencode`: `text`, `=text`, `name=text`, `@file` or `name@file`.
        ///
        /// The first equals sign or at sign ends the name.
        init(urlencode argument: String) {
            guard let separator = argument.firstIndex(where: { $0 == "=" || $0 == "@" }) else {
                (source, encoding) = (.text(argument), .percent(name: nil))
                return
            }
            let name = String(argument[..<separator])
            let rest = argument[separator...]
            source = rest.hasPrefix("@") ? InputSource(String(rest)) : .text(String(rest.dropFirst()))
            encoding = .percent(name: name.isEmpty ? nil : name)
        }

        /// A Boolean value that indicates whether the piece is read from standard input.
        var isStandardInput: Bool { if case .standardInput = source { true } else { false } }

        /// Reads the piece.
        ///
        /// - Throws: ``CommandFailure`` if it cannot be read; `CancellationError`.
        fileprivate func data() async throws -> Data {
            let data = try await source.data()
            switch encoding {
            case .none: return data
            case .withoutLineBreaks: return data.filter { ![0x00, 0x0A, 0x0D].contains($0) }
            case .percent(let name): return Data((name.map { $0 + "=" } ?? "").utf8) + Self.percentEncoded(data)
            }
        }

        /// Encodes all bytes except the unreserved characters (RFC 3986, section 2.3).
        private static func percentEncoded(_ data: Data) -> Data {
            let digits = Array("0123456789ABCDEF".utf8)
            var encoded = Data(capacity: data.count)
            for byte in data {
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
                default: encoded.append(contentsOf: [0x25, digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]])
                }
            }
            return encoded
        }
    }

    let pieces: [Piece]

    /// Returns the body. A single piece that is sent unchanged is read while it is sent.
    ///
    /// - Throws: ``CommandFailure`` for a piece that cannot be read; `CancellationError`.
    func body() async throws -> RequestBody {
        if pieces.count == 1, case .none = pieces[0].encoding { return try await pieces[0].source.body() }
        var body = Data()
        for (index, piece) in pieces.enumerated() {
            if index > 0 { body.append(UInt8(ascii: "&")) }
            body += try await piece.data()
        }
        return .data(body)
    }
}
