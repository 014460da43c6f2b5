import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportService
import TestSupport
import Testing

/// The complete example of the seed 002: a model, the declaration of a call, and a service that makes it.
@Suite(.concurrencyLimited) struct SeedServiceExampleTests {
    private struct TestModel: Codable, Sendable, Equatable {
        // Default values are to be received as from API.
        var id: Int? = 1
        var userId: Int? = 1
        var title: String? = "Title"
        var body: String? = "Body"
    }

    /// Request configuration.
    private struct RequestConfiguration: Endpoint {
        typealias Response = TestModel  // Response model type.
        var requestParams: TestModel

        var path: EndpointPath { "/test" }
        var method: HttpMethod { .get }
        var parameters: EndpointParameters { .encoding(requestParams) }
        var responseFormat: ResponseFormat? { .enveloped() }
    }

    /// API call configuration.
    private struct TestService {
        /// Here, model for request and response is same. This is only for the purpose of test demo.
        var requestParams = TestModel()
        let service: ServiceClient
        let printed = Watched<[String]>([])

        func call() async {
            do throws(NetworkServiceError) {
                let data = try await service.call(RequestConfiguration(requestParams: requestParams))
                // Response data is available.
                print(data.body ?? "")
            } catch .missingBody(let info) {
                // Response status is available, in case response data is not available.
                print(info.message ?? "No status Message.")
            } catch {
                // Get error message.
                print("\(error)")
            }
        }

        private func print(_ text: String) { printed.update { $0.append(text) } }
    }

    private func withService(
        _ path: String = "/api",
        _ body: @Sendable (ServiceClient) async throws -> Void
    ) async throws {
        try await Gateway.withRunning { gateway in
            let service = try ServiceClient(baseURL: gateway.baseURL + path)
            try await body(service)
        }
    }

    @Test func `The example prints the body of the response`() async throws {
        try await withService { service in
            let test = TestService(requestParams: TestModel(body: "Grüße & mehr"), service: service)
            await test.call()
            #expect(test.printed.value == ["Grüße & mehr"])
        }
    }

    @Test func `The example prints the error for an unknown path`() async throws {
        try await withService("/nowhere") { service in
            let test = TestService(service: service)
            await test.call()
            #expect(test.printed.value.first?.contains("the server answered 404 Not Found") == true)
        }
    }

    @Test func `The example works with async/await`() async throws {
        try await withService { service in
            let model = try await service.call(RequestConfiguration(requestParams: TestModel(id: 7)))
            #expect(model == TestModel(id: 7))
        }
    }

    @Test func `A response with a status and no body has the message and the code of the status`() async throws {
        try await withService { service in
            let error = await failure(of: Get(TestModel.self, .enveloped(), path: "/notice"), by: service)
            guard case .missingBody(let info) = error else { Issue.record("\(String(describing: error))"); return }
            #expect(info.message == "Closed for today.")
            #expect(info.code == "closed")
            #expect(info.response?.status == .ok)
        }
    }

    @Test func `Error statuses throw errors with the server's message`() async throws {
        try await withService { service in
            let enveloped = await failure(of: PathOnly(path: "/failures/503"), by: service)
            #expect(enveloped?.info.message == "It did not work.")
            #expect(enveloped?.info.code == "503")
            let problem = await failure(of: PathOnly(path: "/problems/409"), by: service)
            #expect(problem?.info.message == "It did not work.")
            #expect(problem?.info.code == nil)
        }
    }

    // MARK: Three endpoints of a real API

    private struct Item: Codable, Sendable, Equatable {
        var id: Int
        var name: String
        var price: Int
        var createdAt: Date
    }

    private struct Items: Endpoint {
        typealias Response = [Item]
        var page = 1
        var size: Int?
        var path: EndpointPath { "/items" }
        var parameters: EndpointParameters { ["page": page, "per_page": size] }
    }

    private struct AddItem: Endpoint, Encodable {
        typealias Response = Item
        var name: String
        var price: Int
        var path: EndpointPath { "/items" }
        var body: EndpointBody { .json(self) }
    }

    private struct RemoveItem: Endpoint {
        var id: Int
        var path: EndpointPath { "/items/\(id)" }
        var method: HttpMethod { .delete }
    }

    @Test func `Items can be listed, created and removed with one call each`() async throws {
        try await Gateway.withRunning { gateway in
            var configuration = try ServiceClientConfiguration(baseURL: gateway.baseURL + "/api/")
            configuration.responseFormat = .enveloped()
            configuration.decoder.dateDecodingStrategy = .iso8601
            let service = ServiceClient(configuration)

            let items = try await service.call(Items(page: 3, size: 2))
            #expect(items.map(\.id) == [5, 6])
            let item = try await service.call(AddItem(name: "Chair", price: 5))
            #expect(item.name == "Chair")
            try await service.call(RemoveItem(id: 7))

            let invalid = await failure(of: AddItem(name: "", price: 5), by: service)
            #expect(invalid?.info.message == "The name must not be empty.")
            #expect(invalid?.info.code == "invalid")
            let missing = await failure(of: RemoveItem(id: 700), by: service)
            #expect(missing?.info.status == .notFound)
        }
    }
}
