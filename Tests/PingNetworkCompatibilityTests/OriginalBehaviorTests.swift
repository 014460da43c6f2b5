import ClientTestSupport
import Foundation
import PingNetworkCompatibility
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Behavior of the original that differs from Sallyport's.
@Suite(.concurrencyLimited) struct OriginalBehaviorTests {
    @Test func `The timeout limits the time without data, and the complete call by seven days`() async throws {
        try await SampleGateway.run { gateway in
            let client = gateway.factory.createClient { config in config.timeout = 40 }
            _ = try await client.request { $0.url = "https://api.example.com/users" }.get()
            _ = try await gateway.factory.createClient().request { $0.url = "https://api.example.com/users" }.get()
            #expect(gateway.timeouts.entries == ["40.0", "15.0"])
            #expect(gateway.totals.entries == ["604800.0", "604800.0"])
        }
    }

    @Test func `A body that pauses for longer than the timeout fails the call`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na"
        try await withScriptedServer([[.receiveRequest, .send(head), .stall]]) { server in
            let client = HttpClient.createClient { config in config.timeout = 0.2 }
            await expectError(\NetworkError.description, "the call exceeded its timeout") {
                try await client.request { $0.url = "http://\(server.authority)/" }.get()
            }
        }
    }

    @Test(arguments: [0, -1, Double.nan])
    func `A timeout that is not greater than zero fails each call`(timeout: TimeInterval) async {
        let client = HttpClient.createClient { config in config.timeout = timeout }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request { $0.url = "https://api.example.com/" }.get()
        }
    }

    @Test func `The request of a response cannot be changed`() async throws {
        try await SampleGateway.run { gateway in
            let response = try await gateway.factory.createClient().request { request in
                request.url = "https://api.example.com/users"
                request.setHeader(name: "X-Id", value: "1")
            }.get()
            let sent: String? = response.request.url
            let request = response.request
            request.url = "https://other.example/"
            request.setHeader(name: "X-Id", value: "2")
            request.setMethod(.delete)
            #expect(response.request.url == sent)
            #expect(response.request.getHeader(name: "X-Id") == "1")
            #expect(response.request.getMethod() == .get)
        }
    }

    @Test func `Several cookies of one name are all sent`() async throws {
        try await SampleGateway.run { gateway in
            let response = try await gateway.factory.createClient().request { request in
                request.url = "https://api.example.com/users"
                request.setCookie(cookie: "a=1")
                request.setCookie(cookie: "a=2")
                request.setCookies(cookies: ["a=3", "b=4"])
            }.get()
            #expect(try EchoedRequest(response.body).headers["cookie"] == ["a=1; a=2; a=3; b=4"])
        }
    }

    @Test func `A space in a form is sent as %20, and a plus sign is escaped`() async throws {
        try await SampleGateway.run { gateway in
            let response = try await gateway.factory.createClient().request { request in
                request.url = "https://api.example.com/login"
                request.form(parameters: ["full name": "Ada Lovelace"])
                request.form(parameters: ["sum": "1 + 1"])
            }.get()
            let echoed = try EchoedRequest(response.body)
            #expect(echoed.body == "full%20name=Ada%20Lovelace&sum=1%20%2B%201")
            #expect(echoed.headers["content-type"] == ["application/x-www-form-urlencoded"])
        }
    }

    @Test func `Plain HTTP to another computer is refused unless the factory allows it`() async {
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await HttpClient.createClient().request { $0.url = "http://api.example.com/" }.get()
        }
        #expect(error?.localizedDescription.contains("set HttpClientConfiguration.allowsPlainHTTP to true") == true)
    }
}
