import Crypto
import Hummingbird
import NIOCore

/// Reads a body as it arrives, and returns its length and SHA-256. The body is not stored.
@available(macOS 14, iOS 17, tvOS 17, *)
struct UploadRoutes: RouteGroup {
    private static let maximumLength = 8 * 1024 * 1024 * 1024

    let routeDescriptions = ["/upload": "POST, PUT: the length and the SHA-256 of the body, at most 8 GiB."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/upload", use: upload)
        router.put("/upload", use: upload)
    }

    @Sendable private func upload(_ request: Request, _ context: GatewayContext) async throws -> ReceivedUpload {
        if let text = request.headers[.contentLength], let length = Int(text), length > Self.maximumLength {
            throw NIOTooManyBytesError(maxBytes: Self.maximumLength)
        }
        var hash = SHA256()
        var length = 0
        for try await buffer in request.body {
            length += buffer.readableBytes
            guard length <= Self.maximumLength else { throw NIOTooManyBytesError(maxBytes: Self.maximumLength) }
            hash.update(data: buffer.readableBytesView)
        }
        return ReceivedUpload(length: length, sha256: hash.finalize().hexadecimal)
    }
}

private struct ReceivedUpload: ResponseEncodable {
    let length: Int
    let sha256: String
}
