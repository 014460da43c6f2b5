import Foundation

/// The parts of a multipart body (RFC 2046, section 5.1).
package enum MultipartText {
    /// Returns the boundary of a media type; `nil` if it is not a multipart type.
    package static func boundary(of type: String?) -> String? {
        guard let type, type.lowercased().hasPrefix("multipart/") else { return nil }
        return parameter("boundary", in: type)
    }

    /// Returns a body with the contents of its parts replaced. An invalid body is unchanged.
    ///
    /// - Parameter transform: Returns the new content of a part with a name and a media type.
    package static func mapParts(
        of body: Data,
        boundary: String,
        _ transform: (_ name: String?, _ type: String?, _ content: Data) -> Data
    ) -> Data {
        let delimiter = Data("--\(boundary)".utf8)
        guard let first = body.range(of: delimiter) else { return body }
        var result = Data(body[..<first.upperBound])
        var start = first.upperBound
        while let next = body.range(of: Data("\r\n".utf8) + delimiter, in: start..<body.endIndex) {
            let part = body[start..<next.lowerBound]
            if let emptyLine = part.range(of: Data("\r\n\r\n".utf8)) {
                let lines = String(decoding: part[..<emptyLine.lowerBound], as: UTF8.self).split(
                    whereSeparator: \.isNewline
                )
                let name = field("content-disposition", in: lines).flatMap { parameter("name", in: $0) }
                result += part[..<emptyLine.upperBound]
                result += transform(name, field("content-type", in: lines), Data(part[emptyLine.upperBound...]))
            } else {
                result += part
            }
            result += body[next]
            start = next.upperBound
        }
        return result + body[start...]
    }

    private static func field(_ name: String, in lines: [Substring]) -> String? {
        let line = lines.first { $0.lowercased().hasPrefix(name + ":") }
        return line.map { String($0.dropFirst(name.count + 1).trimmingBlanks()) }
    }

    /// Returns a parameter of a header value.
    private static func parameter(_ name: String, in value: String) -> String? {
        for parameter in value.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingBlanks().lowercased() == name else { continue }
            let text = parts[1].trimmingBlanks()
            return text.first == "\"" ? String(text.dropFirst().prefix { $0 != "\"" }) : String(text)
        }
        return nil
    }
}
