import Foundation
import Hummingbird
import NIOCore

/// Pseudorandom bytes to download, with range requests. The same count and seed produce the same bytes.
@available(macOS 14, iOS 17, tvOS 17, *)
struct BytesRoutes: RouteGroup {
    private static let maximumCount = 8 * 1024 * 1024 * 1024
    /// The first day of 2025. Any fixed date is correct, because the bytes never change.
    private static let lastModified = Date(timeIntervalSince1970: 1_735_689_600)

    let routeDescriptions = [
        "/bytes/{count}?seed=0": "GET: that many bytes, at most 8 GiB, with one range, If-Range and validators."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/bytes/{count}") { request, context in
            let count: Int = try context.parameters.require("count", in: 0...Self.maximumCount)
            let seed = try request.query("seed", in: 0...UInt64.max, default: 0)
            return response(to: request, count: count, bytes: PseudoRandomBytes(seed: seed))
        }
    }

    private func response(to request: Request, count: Int, bytes: PseudoRandomBytes) -> Response {
        let validators = Validators(entityTag: "\"\(count)-\(bytes.seed)\"", lastModified: Self.lastModified)
        let headers: HTTPFields = [.contentType: "application/octet-stream"]
        return Response.ranged(to: request, count: count, validators: validators, headers: headers) { range in
            bytes.body(range)
        }
    }
}

extension PseudoRandomBytes {
    /// Returns a body of the bytes in a range, which are generated as the client reads.
    fileprivate func body(_ range: Range<Int>) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            let chunk = 64 * 1024
            for start in stride(from: range.lowerBound, to: range.upperBound, by: chunk) {
                try await writer.write(buffer(start..<min(start + chunk, range.upperBound)))
            }
            try await writer.finish(nil)
        }
    }
}
