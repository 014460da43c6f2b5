import Foundation
import Testing
import TestSupport

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct TokenStoreKeyTests {
    private static let text = Data((0..<32).map { UInt8($0) | 0xC0 }).base64EncodedString()

    @Test func `A key can be read from base64 and base64url text`() throws {
        _ = try TokenStoreKey(text: " \(Self.text)\n")
        _ = try TokenStoreKey(
            text: Self.text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        )
    }

    @Test(arguments: ["", "c2hvcnQ=", "not base64 at all!"])
    func `Invalid key text is refused and not shown in the error`(_ text: String) {
        #expect {
            try TokenStoreKey(text: text)
        } throws: { error in
            (error as? TokenStoreError)?.reason == .key && (text.isEmpty || !"\(error)".contains(text))
        }
    }

    @Test func `A key file must be private`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("key")
            try Data(Self.text.utf8).write(to: file)
            chmod(file.path, 0o600)
            _ = try TokenStoreKey.file(file)
            chmod(file.path, 0o644)
            expectError(\TokenStoreError.reason, .notPrivate) { try TokenStoreKey.file(file) }
        }
    }

    @Test func `The error for a missing environment variable names it`() {
        #expect {
            try TokenStoreKey.environment("SALLYPORT_NO_SUCH_KEY")
        } throws: { error in
            "\(error)".contains("SALLYPORT_NO_SUCH_KEY")
        }
    }

    @Test func `The description and dump of a key do not contain it`() throws {
        let key = try TokenStoreKey(text: Self.text)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key) \(String(reflecting: key)) \(dumped)".contains("key of a store"))
        #expect(!dumped.contains("SymmetricKey"))
    }
}
