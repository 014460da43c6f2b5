import Sallyport
import SallyportGateway
import SallyportService

extension DemoStep {
    static let typedCall = DemoStep(title: "Typed call") { stage in
        let service = try ServiceClient(baseURL: stage.baseURL + "/api", client: stage.client)
        let item = try await service.call(GetItem(id: 7))
        try require(item.id == 7, "the item 7, not \(item.id)")
        return "GetItem(id: 7) returned \(item.name) from the server's envelope"
    }

    static let typedFailure = DemoStep(title: "Typed call, refused") { stage in
        let service = try ServiceClient(baseURL: stage.baseURL + "/api", client: stage.client)
        do throws(NetworkServiceError) {
            _ = try await service.call(MakeItem(name: "", price: 1))
        } catch {
            guard case .refused(let info) = error else { throw error }
            let message = try require(info.message, "the server's message")
            return "the error contains the server's message: \"\(message)\""
        }
        throw DemoMismatch(description: "expected an item without a name to be refused")
    }
}

private struct DemoItem: Decodable, Sendable {
    let id: Int
    let name: String
}

private struct GetItem: Endpoint {
    typealias Response = DemoItem
    let id: Int
    var path: EndpointPath { "/items/\(id)" }
    var responseFormat: ResponseFormat? { .enveloped() }
}

private struct MakeItem: Endpoint, Encodable {
    typealias Response = DemoItem
    let name: String
    let price: Double
    var path: EndpointPath { "/items" }
    var body: EndpointBody { .json(self) }
    var responseFormat: ResponseFormat? { .enveloped() }
}
