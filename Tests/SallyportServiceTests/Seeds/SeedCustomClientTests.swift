import Foundation
import HTTPTypes
import Sallyport
import SallyportGateway
import SallyportOAuth
import SallyportService
import SallyportTransfers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app's own way to send requests, as the seeds 000 and 004 promise: it sends with URLSession.
private final class SessionTransport: NSObject, Transport, URLSessionTaskDelegate {
    private let session = URLSession(configuration: .ephemeral)

    func send(_ request: TransportRequest, in scope: ExchangeScope) async throws(NetworkError) -> TransportResponse {
        do {
            let head = request.head
            guard let url = URL(string: "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")") else {
                throw NetworkError.invalidRequest("URLSession does not accept the URL")
            }
            var outgoing = URLRequest(url: url)
            outgoing.httpMethod = head.method.rawValue
            for field in head.headerFields { outgoing.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
            let body = try await request.body.collect(upTo: 16 << 20)
            if !body.isEmpty { outgoing.httpBody = body }
            let (data, response) = try await session.data(for: outgoing, delegate: self)
            guard let response = response as? HTTPURLResponse else { throw NetworkError.invalidResponse("not HTTP") }
            var fields = HTTPFields()
            for (name, value) in response.allHeaderFields {
                if let name = HTTPField.Name("\(name)") { fields[name] = "\(value)" }
            }
            return TransportResponse(
                head: HTTPResponse(status: .init(code: response.statusCode), headerFields: fields),
                body: ResponseBody(data)
            )
        } catch let error as NetworkError {
            throw error
        } catch {
            throw .networkError(NetworkFailure("\(error.localizedDescription)", underlying: error))
        }
    }

    func close() { session.invalidateAndCancel() }

    func shutdown(grace: Duration) async { session.finishTasksAndInvalidate() }

    func urlSession(
        _: URLSession,
        task _: URLSessionTask,
        willPerformHTTPRedirection _: HTTPURLResponse,
        newRequest _: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// A client with an app's own transport, as the client of each part of the SDK.
@Suite(.concurrencyLimited) struct SeedCustomClientTests {
    private func makeClient() -> HttpClient { HttpClient.createClient { $0.transport = SessionTransport() } }

    private struct Item: Decodable, Sendable { var id: Int }

    private struct Items: Endpoint {
        typealias Response = [Item]
        var path: EndpointPath { "/items" }
        var parameters: EndpointParameters { ["page": 3, "per_page": 2] }
    }

    private struct Failing: Endpoint {
        var path: EndpointPath { "/problems/409" }
    }

    private struct Protected: Endpoint {
        typealias Response = String
        var path: EndpointPath { "/protected" }
    }

    @Test func `A ServiceClient calls its endpoints with an app's own transport`() async throws {
        try await Gateway.withRunning { gateway in
            var configuration = try ServiceClientConfiguration(baseURL: gateway.baseURL + "/api")
            configuration.responseFormat = .enveloped()
            let service = ServiceClient(configuration, client: makeClient())
            #expect(try await service.call(Items()).map(\.id) == [5, 6])
            let error = await failure(of: Failing(), by: service)
            #expect(error?.info.message == "It did not work.")
            service.client.close()
            let closed = await failure(of: Items(), by: service)
            #expect(closed?.info.networkError?.kind == "clientClosed")
        }
    }

    @Test func `An OAuthClient and a session obtain and refresh tokens with an app's own transport`() async throws {
        let server = try AuthorizationServer(.development())
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
            let http = makeClient()
            let client = OAuthClient(issuer: gateway.baseURL, clientID: "conf") { config in
                config.authentication = .secretBasic("s3cret-conf")
                config.httpClient = http
            }
            let refresher = ClientCredentialsRefresher(client, scopes: ["api"])
            let session = OAuthSession(refresher: refresher, store: MemoryTokenStore())
            let api = http.authorized(by: session, for: gateway.baseURL)
            let service = try ServiceClient(baseURL: gateway.baseURL, client: api)
            _ = try await service.call(Protected())
            await server.expireAccessTokens()
            _ = try await service.call(Protected())
            #expect(await server.statistics.grants == ["client_credentials": 2])
            http.close()
        }
    }

    @Test func `A file is downloaded and uploaded with an app's own transport`() async throws {
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                let client = makeClient()
                let file = folder.appendingPathComponent("file")
                let download = client.download(to: .file(file)) { $0.url = "\(gateway.baseURL)/bytes/300000" }
                #expect(try await download.value.length == 300_000)
                #expect(download.currentProgress.fraction == 1)

                let upload = client.upload { request in
                    request.url = "\(gateway.baseURL)/upload"
                    request.body = .file(file)
                }
                let stored = try await upload.value.decode(Stored.self)
                #expect(stored.length == 300_000)
                #expect(upload.currentProgress.fraction == 1)
                client.close()
            }
        }
    }

    @Test func `A queue performs its transfers with an app's own transport`() async throws {
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                let client = makeClient()
                let queue = try TransferQueue(folder: folder.appendingPathComponent("queue"), client: client)
                let file = folder.appendingPathComponent("file")
                let url = "\(gateway.baseURL)/bytes/1000"
                try await queue.enqueue(.download(url, to: .file(file), identifier: "file"))
                try await queue.runUntilEmpty()
                #expect(try await queue.result(of: "file").state == .finished)
                #expect(try Data(contentsOf: file).count == 1_000)
                client.close()
            }
        }
    }

    private struct Stored: Decodable, Sendable { var length: Int }
}
