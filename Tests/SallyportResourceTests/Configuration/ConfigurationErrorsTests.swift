import Foundation
import Sallyport
import SallyportResource
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ConfigurationErrorsTests {
    @Test(arguments: [
        "http://id.example.com", "x", "", "https://other.example", "https://id.example.com:1",
        "https://id.example.com/?a=b",
    ])
    func `An issuer that is not an https URL at a configured server is refused`(_ issuer: String) throws {
        let server = try ResourceServer()
        let error = expectError(\ResourceError.reason, .invalidConfiguration) {
            try server.client { $0.issuer = issuer }
        }
        #expect(error?.description.contains("the issuer") == true)
    }

    @Test(arguments: ["https://id.example.com/tenant", "https://id.example.com/", "https://files.example.com"])
    func `An issuer at a configured server is accepted`(_ issuer: String) throws {
        let client = try ResourceServer().client { $0.issuer = issuer }
        #expect(client.identity.configuration.issuer == issuer)
    }

    @Test func `The error of the closure with the settings of the HTTP client is reported without its text`() throws {
        struct Problem: Error, CustomStringConvertible { let description = "proxy http://name:canary@proxy.example" }
        let error = expectError(\ResourceError.reason, .invalidConfiguration) {
            try ResourceClient(ResourceServer.model, stores: .memory()) { _ in throw Problem() }
        }
        #expect(error?.description.contains("Problem") == true)
        #expect(error?.description.contains("canary") == false)
        #expect(error?.underlying is Problem)
    }

    @Test func `A value of the file that an error quotes is short and has no control characters`() throws {
        let check = "a\\n" + String(repeating: "b", count: 10_000)
        let json = """
            {"appIdentifier": "a", "appVersion": "1", "baseURL": "https://a.example", "resourceBaseURL": "https://a.example",
             "integrityChecks": ["\(check)"]}
            """
        let error = expectError(\ResourceError.reason, .invalidConfiguration) { try ConfigModel(json: Data(json.utf8)) }
        let text = try #require(error?.description)
        #expect(text.contains("integrityChecks") && !text.contains("\n") && text.count < 500)
    }
}
