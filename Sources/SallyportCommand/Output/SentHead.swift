import Foundation
import Sallyport

/// The head of a request, with the fields that the transport adds.
struct SentHead {
    let method: String
    let target: String
    let fields: HTTPFields

    /// - Parameters:
    ///   - request: The request as it is passed to the transport.
    ///   - asksForCompression: `true` if the transport requests compressed responses.
    init(_ request: HttpRequest, asksForCompression: Bool) throws {
        let head = try request.head()
        method = head.method.rawValue
        target = head.path ?? "/"
        var fields = HTTPFields()
        if let host = HTTPField.Name("Host"), !head.headerFields.contains(host) { fields[host] = head.authority }
        fields.append(contentsOf: head.headerFields)
        if asksForCompression, fields[.acceptEncoding] == nil {
            fields[.acceptEncoding] = DecodedCodings.acceptEncoding
        }
        switch request.body.length {
        case 0? where ![.post, .put, .patch].contains(head.method): break
        case let length?: fields[.contentLength] = "\(length)"
        case nil: fields[.transferEncoding] = "chunked"
        }
        self.fields = fields
    }

    /// The size of the head in HTTP/1.1, in bytes.
    var size: Int {
        "\(method) \(target) HTTP/1.1\r\n".utf8.count + fields.sizeInHTTP1
    }
}

extension HTTPFields {
    /// The size of the fields and the empty line after them in HTTP/1.1, in bytes.
    var sizeInHTTP1: Int {
        reduce(2) { size, field in size + field.name.rawName.utf8.count + field.value.utf8.count + 4 }
    }
}

extension RequestBody {
    /// The number of bytes; `nil` if it is unknown before they are sent.
    var length: Int64? {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(let url): (try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize).flatMap { $0 }.map(Int64.init)
        case .stream(let stream): stream.length
        }
    }
}
