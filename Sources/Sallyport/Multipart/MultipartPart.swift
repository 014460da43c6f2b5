import Foundation
import HTTPTypes
import SallyportTransport

/// One field or file of a form.
struct MultipartPart: Sendable {
    enum Content: Sendable {
        case data(Data)
        case file(URL)
    }

    let name: String
    let filename: String?
    let contentType: String?
    let content: Content

    /// The part's header lines, without the empty line after them.
    func head() throws(NetworkError) -> String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let filename { head += "; filename=\"\(Self.escaped(filename))\"" }
        guard let contentType else { return head }
        guard HTTPField.isValidValue(contentType) else {
            throw .invalidRequest(
                NetworkFailure("the content type of the part \"\(printable(name))\" contains a control character")
            )
        }
        return head + "\r\nContent-Type: \(contentType)"
    }

    /// The content with its length, as it is now.
    func piece() throws(NetworkError) -> MultipartPiece {
        switch content {
        case .data(let data): return .data(data)
        case .file(let file):
            let values = try? file.resolvingSymlinksInPath().resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            guard values?.isRegularFile == true, let size = values?.fileSize,
                FileManager.default.isReadableFile(atPath: file.path)
            else {
                throw .invalidRequest(
                    NetworkFailure("the file \(file.path) of the part \"\(printable(name))\" cannot be read")
                )
            }
            return .file(file, length: size)
        }
    }

    /// A name as the HTML standard writes it between quotes.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
