import Foundation
import HTTPTypes
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct SuspendedTaskTests {
    private static let request = ResourceRequest(path: "p", method: .get)
    private static let other = ResourceRequest(path: "other", method: .get)

    /// Records the state of the task whose request is sealed.
    private struct SealingRecorder: Interceptor {
        let states: Watched<[NetworkTask.State?]>

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            states.update { $0.append(NetworkTask.current?.state) }
            return try await next(request)
        }
    }

    @Test func `A request that waits for its task is sealed after the task was resumed`() async throws {
        let states = Watched<[NetworkTask.State?]>([])
        let client = try ResourceServer().client(http: { config in
            config.onRequest { _ in NetworkTask.current?.suspend() }
            config.sealing = [SealingRecorder(states: states)]
        }).deviceClient
        let completion = Completion()
        let task = try #require(client.sendUnauthenticatedRequest(Self.request, completion: completion.handler))
        await task.wait(for: .suspended)
        _ = try await client.sendUnauthenticatedRequest(Self.other)
        #expect(states.value == [nil])
        task.resume()
        #expect(await completion.result().response?.statusCode == 200)
        #expect(states.value == [nil, .running])
    }

    @Test func `A task that is resumed and suspended again at once is not sent`() async throws {
        let server = try ResourceServer()
        let client = try server.client(http: { $0.onRequest { _ in NetworkTask.current?.suspend() } }).deviceClient
        let completion = Completion()
        let task = try #require(client.sendUnauthenticatedRequest(Self.request, completion: completion.handler))
        await task.wait(for: .suspended)
        // The request waits, because another call has been sent and answered meanwhile.
        _ = try await client.sendUnauthenticatedRequest(Self.other)
        task.resume()
        task.suspend()
        for _ in 1...5 { _ = try await client.sendUnauthenticatedRequest(Self.other) }
        #expect(task.state == .suspended)
        #expect(!server.transport.requests.map(\.path).contains("/resources/p"))
        task.resume()
        #expect(await completion.result().response?.statusCode == 200)
    }

    /// Suspends the task of a call when the body of its response has ended.
    private struct SuspensionAtEnd: Interceptor {
        private struct Source: ResponseBodySource {
            let body: ResponseBody

            var trailers: HTTPFields { body.trailers }

            func read() async throws(NetworkError) -> Data? {
                var chunks = body.makeAsyncIterator()
                do {
                    let chunk = try await chunks.next()
                    if chunk == nil { NetworkTask.current?.suspend() }
                    return chunk
                } catch {
                    throw .networkError("the test failed")
                }
            }

            func cancel() { body.cancel() }
        }

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            var response = try await next(request)
            response.bodyStream = ResponseBody(source: Source(body: response.bodyStream))
            return response
        }
    }

    @Test func `A task that is suspended at the end of the body completes when it is resumed`() async throws {
        let client = try ResourceServer().client(http: { $0.addInterceptor(SuspensionAtEnd()) }).deviceClient
        let completion = Completion()
        let task = try #require(client.sendUnauthenticatedRequest(Self.request, completion: completion.handler))
        await task.wait(for: .suspended)
        _ = try await client.sendUnauthenticatedRequest(Self.other)
        #expect(task.state == .suspended && task.response == nil)
        task.resume()
        #expect(await completion.result().response?.data != nil)
        #expect(task.state == .completed)
    }

    @Test func `A task that is suspended at the end of the body can be cancelled`() async throws {
        let client = try ResourceServer().client(http: { $0.addInterceptor(SuspensionAtEnd()) }).deviceClient
        let completion = Completion()
        let task = try #require(client.sendUnauthenticatedRequest(Self.request, completion: completion.handler))
        await task.wait(for: .suspended)
        task.cancel()
        let (response, error) = await completion.result()
        #expect(response == nil && error?.reason == .cancelled && task.state == .cancelled)
    }

    @Test func `The response has the trailers of the server`() async throws {
        let server = try ResourceServer()
        let name = try #require(HTTPField.Name("X-Checksum"))
        server.transport.on(.get, "/resources/p", MockResponse(body: Data("text".utf8), trailers: [name: "1"]))
        let response = try await server.client().deviceClient.sendUnauthenticatedRequest(Self.request)
        #expect(response.httpResponse.trailers[name] == "1")
    }
}
