import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// An example API with items in an envelope of `status` and `body`. The items never change.
@available(macOS 14, iOS 17, tvOS 17, *)
struct ItemsRoutes: RouteGroup {
    private static let count = 95
    private static let maximumBodySize = 64 * 1024

    let routeDescriptions = [
        "/api/items?page=1&per_page=20": """
        GET: a page of 95 items, with Link to the next, prev, first and last (RFC 8288); bare with envelope=false. \
        POST: creates an item with a name (text) and a price (a number), or returns a validation error.
        """,
        "/api/items/{id}": "GET: an item. DELETE: 204; the item is not deleted.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/api/items", use: list)
        router.post("/api/items", use: create)
        router.get("/api/items/{id}", use: get)
        router.delete("/api/items/{id}", use: delete)
    }

    @Sendable private func list(_ request: Request, _ context: GatewayContext) throws -> Response {
        let page = try request.query("page", in: 1...1_000_000, default: 1)
        let size = try request.query("per_page", in: 1...100, default: 20)
        let first = min((page - 1) * size, Self.count)
        let items = (first..<min(first + size, Self.count)).map { ExampleItem(id: $0 + 1) }
        var response = try Response.enveloped(items, to: request, context)
        let links = PageLinks(page: page, size: size, count: Self.count)
        response.headers.append(contentsOf: links.fields(for: request))
        return response
    }

    @Sendable private func get(_ request: Request, _ context: GatewayContext) throws -> Response {
        guard let item = item(context) else { return try missing(request, context) }
        return try .enveloped(item, to: request, context)
    }

    @Sendable private func delete(_ request: Request, _ context: GatewayContext) throws -> Response {
        item(context) == nil ? try missing(request, context) : Response(status: .noContent)
    }

    @Sendable private func create(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let body = try await request.body.collect(upTo: Self.maximumBodySize)
        guard let draft = try? JSONDecoder().decode(Draft.self, from: Data(body.readableBytesView)) else {
            let message = "The body must be JSON with a name (text) and a price (a number)."
            return try .emptyEnvelope(message, code: "unreadable", status: .badRequest, to: request, context)
        }
        if let problem = draft.problem {
            return try .emptyEnvelope(problem, code: "invalid", status: .unprocessableContent, to: request, context)
        }
        let item = ExampleItem(id: Self.count + 1, name: draft.name, price: draft.price)
        var response = try Response.enveloped(item, message: "Created", status: .created, to: request, context)
        response.headers[.location] = "/api/items/\(item.id)"
        return response
    }

    private func item(_ context: GatewayContext) -> ExampleItem? {
        guard let id = context.parameters.get("id", as: Int.self), (1...Self.count).contains(id) else { return nil }
        return ExampleItem(id: id)
    }

    private func missing(_ request: Request, _ context: GatewayContext) throws -> Response {
        let message = "There is no such item; there are 1 to \(Self.count)."
        return try .emptyEnvelope(message, code: "missing", status: .notFound, to: request, context)
    }
}

private struct ExampleItem: ResponseEncodable {
    let id: Int
    let name: String
    let price: Double
    let createdAt: String

    init(id: Int, name: String? = nil, price: Double? = nil) {
        self.id = id
        self.name = name ?? "Item \(id)"
        self.price = price ?? Double(id) * 100
        // The first day of 2025, plus as many hours as the item's number.
        createdAt = Date(timeIntervalSince1970: 1_735_689_600 + Double(id) * 3600).formatted(.iso8601)
    }
}

private struct Draft: Decodable {
    let name: String
    let price: Double

    /// The first invalid value in a sentence, or `nil`.
    var problem: String? {
        if name.allSatisfy(\.isWhitespace) { return "The name must not be empty." }
        return price < 0 ? "The price must not be less than 0." : nil
    }
}
