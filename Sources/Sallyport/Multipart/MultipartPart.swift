import Foundation
import HTTPTypes
import SallyportTransport

/// A field or file of a form.
struct MultipartPart: Sendable {
    enum Content: Sendable {
        case data(Data)
        case file(URL)
        case stream(BodyStream)
    }

    let name: String
    let filename: String?
    let contentType: String?
    let headers: [String: String]
    let content: Content

    /// A Boolean value that indicates whether the content is in memory.
    var isInMemory: Bool {
        guard case .data = content else { return false }
        return true
    }

    /// A Boolean value that indicates whether the content can be sent more than once.
    var isReplayable: Bool {
        guard case .stream(let stream) = content else { return true }
        return stream.isReplayable
    }

    /// Returns the header lines of the part, without the empty line after them.
    func head() throws(NetworkError) -> String {
        var head = "Content-Disposition: form-data; name=\"\(try escaped(name))\""
        if let filename { head += "; filename=\"\(try escaped(filename))\"" }
        if let contentType {
            guard HTTPField.isValidValue(contentType) else {
                throw refusal("the content type", "contains a control character")
            }
            head += "\r\nContent-Type: \(contentType)"
        }
        if headers.isEmpty { return head }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            let header = "the header \"\(VisibleText.line(name))\""
            guard let fieldName = HTTPField.Name(name) else { throw refusal(header, "is not a token of RFC 9110") }
            if Self.reservedHeaders.contains(fieldName.canonicalName) {
                throw refusal(header, "is written by the form itself")
            }
            guard HTTPField.isValidValue(value) else { throw refusal(header, "has a value with a control character") }
            head += "\r\n\(name): \(value)"
        }
        return head
    }

    /// The headers that the form adds itself, and `Content-Transfer-Encoding`, which RFC 7578 deprecates.
    private static let reservedHeaders: Set = ["content-disposition", "content-type", "content-transfer-encoding"]

    /// Returns the current length of the content in bytes; `nil` for a stream of unknown length.
    func contentLength() throws(NetworkError) -> Int64? {
        switch content {
        case .data(let data): return Int64(data.count)
        case .stream(let stream): return stream.length
        case .file(let file):
            let values = try? file.resolvingSymlinksInPath().resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            guard values?.isRegularFile == true, let size = values?.fileSize,
                FileManager.default.isReadableFile(atPath: file.path)
            else {
                throw .invalidRequest(
                    NetworkFailure("the file \(file.path) of the part \"\(VisibleText.line(name))\" cannot be read")
                )
            }
            return Int64(size)
        }
    }

    private func refusal(_ item: String, _ problem: String) -> NetworkError {
        .invalidRequest(NetworkFailure("\(item) of the part \"\(VisibleText.line(name))\" \(problem)"))
    }

    /// Returns a name in UTF-8 with the escapes of the HTML Standard for quoted names. Forms must not use `filename*` (RFC 7578,
    /// section 4.2).
    private func escaped(_ name: String) throws(NetworkError) -> String {
        if name.utf8.allSatisfy({ $0 > 0x22 || $0 == 0x20 || $0 == 0x21 }) { return name }
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            case "\0": throw refusal("a name", "contains a NUL, which no server can read")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
