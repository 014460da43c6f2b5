import Foundation
import HTTPTypes
import SallyportTransport

/// One field or file of a form.
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

    /// Whether its content is there already.
    var isInMemory: Bool {
        guard case .data = content else { return false }
        return true
    }

    /// Whether its content can be sent more than once.
    var isReplayable: Bool {
        guard case .stream(let stream) = content else { return true }
        return stream.isReplayable
    }

    /// The part's header lines, without the empty line after them.
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
            if Self.ownHeaders.contains(fieldName.canonicalName) {
                throw refusal(header, "is written by the form itself")
            }
            guard HTTPField.isValidValue(value) else { throw refusal(header, "has a value with a control character") }
            head += "\r\n\(name): \(value)"
        }
        return head
    }

    /// Those that a form writes, and the one that RFC 7578 does away with.
    private static let ownHeaders: Set = ["content-disposition", "content-type", "content-transfer-encoding"]

    /// How long the content is now; `nil` for a stream that does not know.
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

    private func refusal(_ what: String, _ problem: String) -> NetworkError {
        .invalidRequest(NetworkFailure("\(what) of the part \"\(VisibleText.line(name))\" \(problem)"))
    }

    /// A name as the HTML standard writes it between quotes, in UTF-8. `filename*` is not for forms (RFC 7578,
    /// section 4.2).
    private func escaped(_ name: String) throws(NetworkError) -> String {
        if name.utf8.allSatisfy({ $0 > 0x22 || $0 == 0x20 || $0 == 0x21 }) { return name }
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            case "\0": throw refusal("a name", "holds a NUL, which no server can read")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
