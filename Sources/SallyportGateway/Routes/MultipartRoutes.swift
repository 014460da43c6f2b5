import Crypto
import Foundation
import Hummingbird
import NIOCore
import Sallyport

/// Reads a multipart form as it arrives, and describes its parts. The contents are not stored.
@available(macOS 14, iOS 17, tvOS 17, *)
struct MultipartRoutes: RouteGroup {
    private static let maximumLength = 8 * 1024 * 1024 * 1024
    private static let limits = MultipartLimits(parts: 20_000, headerBytes: 4096)

    let routeDescriptions = [
        "/multipart":
            "POST: each part's name, filename, content type, length and SHA-256; at most 20000 parts, 8 GiB in all."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/multipart") { request, _ in
            do {
                return try await form(of: request)
            } catch let error as MultipartError {
                throw HTTPError(error.status, message: error.sentence)
            }
        }
    }

    private func form(of request: Request) async throws -> ReceivedForm {
        if let text = request.headers[.contentLength], let length = Int(text), length > Self.maximumLength {
            throw NIOTooManyBytesError(maxBytes: Self.maximumLength)
        }
        let chunks = request.body.map { buffer in buffer.withUnsafeReadableBytes { Data($0) } }
        let contentType = request.headers[.contentType] ?? ""
        var form = ReceivedForm(parts: [])
        var total = 0
        for try await part in try MultipartReader(chunks, contentType: contentType, limits: Self.limits) {
            var hash = SHA256()
            var length = 0
            for try await chunk in part.body {
                length += chunk.count
                guard total + length <= Self.maximumLength else {
                    throw NIOTooManyBytesError(maxBytes: Self.maximumLength)
                }
                hash.update(data: chunk)
            }
            total += length
            form.parts.append(
                ReceivedPart(
                    name: part.name,
                    filename: part.filename,
                    contentType: part.contentType,
                    length: length,
                    sha256: hash.finalize().hexadecimal
                )
            )
        }
        return form
    }
}

private struct ReceivedForm: ResponseEncodable {
    var parts: [ReceivedPart]
}

private struct ReceivedPart: Encodable {
    let name: String?
    let filename: String?
    let contentType: String
    let length: Int
    let sha256: String
}

extension MultipartError {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .noBoundary: .unsupportedMediaType
        case .tooManyParts, .headersTooLarge, .partTooLarge, .surroundingsTooLarge: .contentTooLarge
        case .boundaryNotFound, .endedEarly, .invalidHeader, .readOutOfTurn: .badRequest
        }
    }

    fileprivate var sentence: String { description.prefix(1).uppercased() + description.dropFirst() + "." }
}
