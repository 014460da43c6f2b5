import HTTPTypes
import Hummingbird
import NIOCore

/// Numbered server-sent events (WHATWG HTML, section 9.2), a few on each connection, so that clients must reconnect.
@available(macOS 14, iOS 17, tvOS 17, *)
struct EventsRoutes: RouteGroup {
    private static let maximumMilliseconds = 60_000

    let routeDescriptions = [
        "/events?count=10&batch=3&interval=0&retry=1000":
            "GET: events numbered from 1 to count, or from after Last-Event-ID, batch on each connection, milliseconds "
            + "apart; then 204."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/events") { request, _ in
            let count = try request.query("count", in: 0...100_000, default: 10)
            let batch = try request.query("batch", in: 1...1000, default: 3)
            let interval = try request.query("interval", in: 0...Self.maximumMilliseconds, default: 0)
            let retry = try request.query("retry", in: 0...Self.maximumMilliseconds, default: 1000)
            guard batch * interval <= Self.maximumMilliseconds else {
                throw HTTPError(
                    .badRequest,
                    message: "batch × interval must be at most \(Self.maximumMilliseconds) ms."
                )
            }
            let last = try lastNumber(request)
            if last >= count { return Response(status: .noContent) }
            let numbers = (last + 1)...min(last + batch, count)
            let body = ResponseBody { writer in
                try await writer.write(ByteBuffer(string: ": events \(numbers) of \(count)\nretry: \(retry)\n\n"))
                for number in numbers {
                    if number > numbers.lowerBound { try await pause(interval) }
                    try await writer.write(event(number, of: count))
                }
                try await writer.finish(nil)
            }
            let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
            return Response(status: .ok, headers: headers, body: body)
        }
    }

    private func event(_ number: Int, of count: Int) -> ByteBuffer {
        ByteBuffer(string: "id: \(number)\nevent: tick\ndata: {\"number\":\(number),\"of\":\(count)}\n\n")
    }

    /// Returns the number of the last event that the client has received, or 0.
    private func lastNumber(_ request: Request) throws -> Int {
        guard let name = HTTPField.Name("Last-Event-ID"), let text = request.headers[name] else { return 0 }
        guard let number = Int(text), number >= 0 else {
            throw HTTPError(.badRequest, message: "Last-Event-ID must be the number of an event.")
        }
        return number
    }
}
