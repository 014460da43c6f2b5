import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

@available(macOS 14, iOS 17, tvOS 17, *)
extension Response {
    /// A body of unknown length, sent chunk by chunk, with its SHA-256 in a `Repr-Digest` trailer.
    static func chunked(
        contentType: String,
        count: Int,
        chunk: @escaping @Sendable (Int) throws -> ByteBuffer
    ) -> Response {
        let body = ResponseBody { writer in
            var hash = SHA256()
            for index in 0..<count {
                let buffer = try chunk(index)
                hash.update(data: buffer.readableBytesView)
                try await writer.write(buffer)
            }
            try await writer.finish(.reprDigest(hash.finalize()))
        }
        return Response(status: .ok, headers: [.contentType: contentType, .trailer: "repr-digest"], body: body)
    }
}

extension HTTPFields {
    fileprivate static func reprDigest(_ digest: SHA256.Digest) -> HTTPFields {
        var fields = HTTPFields()
        if let name = HTTPField.Name("Repr-Digest") {
            fields[name] = digest.fieldValue
        }
        return fields
    }
}
