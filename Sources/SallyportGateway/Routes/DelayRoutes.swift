import Hummingbird
import NIOCore
import ServiceLifecycle

/// Delays a response, or the bytes of its body. A shutdown of the gateway ends the delay.
@available(macOS 14, iOS 17, tvOS 17, *)
struct DelayRoutes: RouteGroup {
    private static let maximumMilliseconds = 60_000

    let routeDescriptions = [
        "/delay/{milliseconds}": "Any method: a response after a delay of at most 60000 ms.",
        "/drip?bytes=10&interval=100": "GET: bytes one by one, milliseconds apart; at most 65536, in 60000 ms.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/delay/{milliseconds}") { _, context in
            let milliseconds: Int = try context.parameters.require("milliseconds", in: 0...Self.maximumMilliseconds)
            try await pause(milliseconds)
            return Delay(milliseconds: milliseconds)
        }
        router.get("/drip") { request, _ in
            let count = try request.query("bytes", in: 0...65_536, default: 10)
            let interval = try request.query("interval", in: 0...Self.maximumMilliseconds, default: 100)
            guard count * interval <= Self.maximumMilliseconds else {
                throw HTTPError(
                    .badRequest,
                    message: "bytes × interval must be at most \(Self.maximumMilliseconds) ms."
                )
            }
            let body = ResponseBody(contentLength: count) { writer in
                for _ in 0..<count {
                    try await pause(interval)
                    try await writer.write(ByteBuffer(string: "*"))
                }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: body)
        }
    }
}

/// Waits for a time, or until the gateway shuts down.
@available(macOS 14, iOS 17, tvOS 17, *)
func pause(_ milliseconds: Int) async throws {
    try await cancelWhenGracefulShutdown {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}

private struct Delay: ResponseEncodable {
    let milliseconds: Int
}
