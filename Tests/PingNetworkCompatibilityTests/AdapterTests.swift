import ClientTestSupport
import Foundation
import PingNetworkCompatibility
import TestSupport
import Testing

/// Behavior that the seeds describe outside their samples.
@Suite(.concurrencyLimited) struct AdapterTests {
    @Test(arguments: [HttpMethod.get, .post, .put, .delete, .patch, .options])
    func `Each method is sent`(method: HttpMethod) async throws {
        try await SampleGateway.run { gateway in
            let response = try await gateway.factory.createClient().request { request in
                request.url = "https://api.example.com/"
                request.setMethod(method)
            }.get()
            #expect(try EchoedRequest(response.body).method == method.rawValue)
            #expect(response.request.getMethod() == method)
        }
    }

    @Test func `The response to HEAD has headers and no body`() async throws {
        try await SampleGateway.run { gateway in
            let response = try await gateway.factory.createClient().request { request in
                request.url = "https://api.example.com/"
                request.setMethod(.head)
            }.get()
            #expect(response.status == 200)
            #expect(response.headers["Content-Length"] != nil)
            #expect(response.bodyAsString().isEmpty)
        }
    }

    @Test func `A switch over all methods needs no default`() {
        for method in HttpMethod.allCases {
            let name =
                switch method {
                case .get: "GET"
                case .post: "POST"
                case .put: "PUT"
                case .delete: "DELETE"
                case .patch: "PATCH"
                case .head: "HEAD"
                case .options: "OPTIONS"
                }
            #expect(method.rawValue == name)
        }
    }

    @Test func `A stored builder is passed with its label`() async throws {
        let builder: @Sendable (HttpRequest) -> Void = { request in request.url = "https://api.example.com/users" }
        try await SampleGateway.run { gateway in
            let response = try await gateway.factory.createClient().request(builder: builder).get()
            #expect(try EchoedRequest(response.body).target == "/echo/users")
        }
    }

    @Test func `A response interceptor sees a redirect, which is not followed`() async throws {
        let redirect = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedServer([[.receiveRequest, .send(redirect)]]) { server in
            let targets = Journal()
            let client = HttpClient.createClient { config in
                config.onResponse { response in
                    if response.status.isRedirect() { targets.add(response.getHeader(name: "Location") ?? "") }
                }
            }
            let response = try await client.request { $0.url = "http://\(server.authority)/" }.get()
            #expect(response.status == 302)
            #expect(targets.entries == ["/next"])
            #expect(server.requests.count == 1)
        }
    }

    @Test func `A header has all its values, and is found by the name that URLSession uses`() async throws {
        let head = """
            HTTP/1.1 200 OK\r
            content-type: text/plain\r
            Last-modified: Wed, 09 Jun 2021 10:18:14 GMT\r
            x-trace: 1\r
            X-request-id: 2\r
            ETag: "a"\r
            Via: 1.1 first\r
            Via: 1.1 second\r
            Content-Length: 0\r
            \r\n
            """
        try await withScriptedServer([[.receiveRequest, .send(head)]]) { server in
            let response = try await HttpClient.createClient().request { request in
                request.url = "http://\(server.authority)/"
            }.get()
            let names: Set = [
                "Content-Type", "Last-Modified", "x-trace", "X-request-id", "ETag", "Via", "Content-Length",
            ]
            #expect(Set(response.headers.keys) == names)
            #expect(response.headers["Via"] == ["1.1 first", "1.1 second"])
            #expect(response.getHeader(name: "via") == "1.1 first")
            #expect(response.getHeader(name: "missing") == nil)
        }
    }

    @Test func `Interceptors run in the order of registration, and the default timeout is 15 seconds`() async throws {
        try await SampleGateway.run { gateway in
            let steps = Journal()
            let client = gateway.factory.createClient { config in
                config.onRequest { request in request.setHeader(name: "X-Steps", value: "1") }
                config.onRequest { request in
                    request.setHeader(name: "X-Steps", value: (request.getHeader(name: "X-Steps") ?? "") + "2")
                }
                config.onResponse { _ in steps.add("3") }
                config.onResponse { _ in steps.add("4") }
            }
            let response = try await client.request { $0.url = "https://api.example.com/users" }.get()
            #expect(try EchoedRequest(response.body).headers["x-steps"] == ["12"])
            #expect(steps.entries == ["3", "4"])
            #expect(gateway.timeouts.entries == ["15.0"])
        }
    }

    @Test func `A stored request can be sent after an invalid body has been replaced`() async throws {
        try await SampleGateway.run { gateway in
            let client = gateway.factory.createClient()
            let request = client.request()
            request.url = "https://api.example.com/users"
            request.post(json: ["born": Date()])
            await expectError(\NetworkError.kind, "invalidRequest") { try await client.request(request: request).get() }
            request.post(json: ["born": "1815"])
            let response = try await client.request(request: request).get()
            #expect(try EchoedRequest(response.body).body == #"{"born":"1815"}"#)
        }
    }

    @Test func `Interceptors do not change a stored request`() async throws {
        try await SampleGateway.run { gateway in
            let client = gateway.factory.createClient { config in
                config.onRequest { request in request.setParameter(name: "page", value: "1") }
            }
            let request = client.request()
            request.url = "https://api.example.com/users"
            for _ in 1...2 {
                let response = try await client.request(request: request).get()
                #expect(try EchoedRequest(response.body).target == "/echo/users?page=1")
            }
        }
    }

    @Test func `Parameters with the same name are all sent, in order`() async throws {
        try await SampleGateway.run { gateway in
            let response = try await gateway.factory.createClient().request { request in
                request.url = "https://api.example.com/users?role=admin"
                request.setParameter(name: "role", value: "guest")
                request.setParameter(name: "role", value: "user")
            }.get()
            #expect(try EchoedRequest(response.body).target == "/echo/users?role=admin&role=guest&role=user")
        }
    }

    @Test func `A new request lists the standard headers`() {
        let headers = HttpClient.createClient().request().getHeaders()
        #expect(headers == ["x-requested-with": "ping-sdk", "x-requested-platform": "ios"])
    }

    @Test func `Tasks change one request concurrently`() async {
        let request = HttpClient.createClient().request()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...100 {
                group.addTask { request.setHeader(name: "X-\(number)", value: "\(number)") }
            }
        }
        #expect((1...100).allSatisfy { request.getHeader(name: "X-\($0)") == "\($0)" })
    }

    @Test func `An invalid value fails the call before anything is sent`() async {
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await HttpClient.createClient().request { request in
                request.url = "https://api.example.com/"
                request.setHeader(name: "Bad Name", value: "")
            }.get()
        }
        #expect(error?.localizedDescription.contains("\"Bad Name\" is not a token") == true)
    }

    @Test func `A failure of the network is a URLError with the error of Sallyport`() async throws {
        try await withSilentPort { port in
            let result = await HttpClient.createClient().request { request in
                request.url = "http://127.0.0.1:\(port)/"
            }
            guard case .failure(NetworkError.networkError(let underlying)) = result else {
                Issue.record("\(result)")
                return
            }
            let error = try #require(underlying as? URLError)
            #expect(error.code == .cannotConnectToHost)
            #expect((error.userInfo[NSUnderlyingErrorKey] as? any Error)?.kind == "connectionFailed")
            #expect(error.localizedDescription.hasPrefix("GET http://127.0.0.1:\(port)/: "))
        }
    }
}
