import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// Bodies of unknown length, with a digest of the body in a trailer.
@available(macOS 14, iOS 17, tvOS 17, *)
struct StreamRoutes: RouteGroup {
    let routeDescriptions = [
        "/stream/{count}": "GET: lines of JSON, a chunk each, at most 100000, then a Repr-Digest trailer.",
        "/stream-bytes?chunks=10&size=1024&seed=0":
            "GET: chunks of bytes, at most 16384 of 65536 bytes, then a Repr-Digest trailer.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/stream/{count}") { _, context in
            let count: Int = try context.parameters.require("count", in: 0...100_000)
            return Response.chunked(contentType: "application/x-ndjson", count: count) { index in
                ByteBuffer(string: "{\"line\":\(index)}\n")
            }
        }
        router.get("/stream-bytes") { request, _ in
            let chunks = try request.query("chunks", in: 0...16_384, default: 10)
            let size = try request.query("size", in: 1...65_536, default: 1024)
            let bytes = PseudoRandomBytes(seed: try request.query("seed", in: 0...UInt64.max, default: 0))
            return Response.chunked(contentType: "application/octet-stream", count: chunks) { index in
                bytes.buffer(index * size..<(index + 1) * size)
            }
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Response {
    /// Returns a response with a body of chunks of unknown length, and its SHA-256 in a `Repr-Digest` trailer.
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
