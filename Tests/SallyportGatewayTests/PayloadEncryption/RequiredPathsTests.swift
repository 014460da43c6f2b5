import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct RequiredPathsTests {
    private func encryption(_ paths: [String]) throws -> GatewayPayloadEncryption {
        try GatewayPayloadEncryption(keys: [try .generate(.ecdhEs, curve: .x25519)], requiredFor: paths)
    }

    @Test(
        arguments: [
            "/resources/accounts", "/resources/accounts/1", "//resources//accounts/", "/resources/%61ccounts",
            "/resources/accounts%2F1", "/resources/accounts%5C1", "/resources/accounts;x", "/resources/%FF",
            "/resources/public/../accounts",
        ]
    )
    func `A path, and one that servers could read as it, requires encryption`(path: String) throws {
        #expect(try encryption(["/resources/accounts"]).isRequired(for: path))
        #expect(try !encryption([]).isRequired(for: path))
    }

    @Test(arguments: ["/", "/resources", "/resources/accounts2", "/accounts"])
    func `Another path does not require encryption`(path: String) throws {
        #expect(try !encryption(["/resources/accounts"]).isRequired(for: path))
    }

    @Test func `A path with dot segments cannot require encryption`() {
        let error = GatewayError.invalidIdentity(
            "The path /a/../b cannot require encryption. The path contains . or .. as a segment."
        )
        #expect(throws: error) { try encryption(["/a/../b"]) }
    }
}
