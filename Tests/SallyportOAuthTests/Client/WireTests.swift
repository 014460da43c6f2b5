import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportOAuth

/// Requests over real sockets with the default client.
@Suite(.concurrencyLimited) struct WireTests {
    private func client(_ server: ScriptedServer) -> OAuthClient {
        let issuer = "http://127.0.0.1:\(server.port)"
        return OAuthClient(issuer: issuer, clientID: "app") { config in
            config.metadata = ServerMetadata(issuer: issuer, tokenEndpoint: "\(issuer)/token")
            config.authentication = .secretBasic("secret")
        }
    }

    @Test func `A token request is a form that accepts JSON, with Basic credentials and without cookies`() async throws
    {
        let body = #"{"access_token":"a","token_type":"Bearer"}"#
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        try await withScriptedServer([[.receiveRequest, .send(answer)]]) { server in
            let tokens = try await client(server).clientCredentialsTokens(scopes: ["a b", "ü&="])
            #expect(tokens.accessToken == "a")
            let request = try #require(server.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == "/token")
            #expect(request["Content-Type"] == ["application/x-www-form-urlencoded"])
            #expect(request["Accept"] == ["application/json"])
            #expect(request["Authorization"] == ["Basic \(Data("app:secret".utf8).base64EncodedString())"])
            #expect(request["Cookie"].isEmpty)
            #expect(request.bodyText == "grant_type=client_credentials&scope=a+b+%C3%BC%26%3D")
        }
    }

    @Test func `Reading an endless token response fails after one mebibyte`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"
        let chunk = String(repeating: " ", count: 1 << 16)
        let script: Script = [.receiveRequest, .send(head), .repeating([.send(chunk)], times: 1500)]
        try await withScriptedServer([script]) { server in
            let client = client(server)
            do {
                _ = try await client.clientCredentialsTokens()
                Issue.record("it was read")
            } catch NetworkError.responseTooLarge {
            }
        }
    }

    @Test func `A truncated token response is an incompleteBody error, and the request is not repeated`() async throws {
        let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\n{\"error\":"
        try await withScriptedServer([[.receiveRequest, .send(answer), .close]]) { server in
            let client = client(server)
            await expectError(\NetworkError.kind, "incompleteBody") {
                try await client.refresh(OAuthTokens(accessToken: "a", refreshToken: "r"))
            }
            #expect(server.requests.count == 1)
        }
    }
}
