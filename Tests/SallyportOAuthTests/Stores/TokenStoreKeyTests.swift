import Foundation
import Testing
import TestSupport

@testable import SallyportOAuth
@testable import SallyportStorage

@Suite(.concurrencyLimited) struct TokenStoreKeyTests {
    private static let text = Data((0..<32).map { UInt8($0) | 0xC0 }).base64EncodedString()

    @Test func `A key can be read from base64 and base64url text`() throws {
        let bytes = Data(repeating: 0xFB, count: 16) + Data(repeating: 0xFF, count: 16)
        let text = bytes.base64EncodedString()
        let urlText = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(text.contains("+") && text.contains("/"))
        #expect(try TokenStoreKey(text: " \(text)\n").key == TokenStoreKey(bytes).key)
        #expect(try TokenStoreKey(text: urlText).key == TokenStoreKey(bytes).key)
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
