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

    @Test func `The first of several keys encrypts, and all of them decrypt`() async throws {
        let (old, new) = (TokenStoreKey.generate(), TokenStoreKey.generate())
        let other = Data(repeating: 5, count: 32).base64EncodedString()
        let both = try TokenStoreKey(text: "\(Self.text)\n\(other)\n")
        #expect(try both.key == TokenStoreKey(text: Self.text).key)
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("tokens")
            let record = TokenRecord(tokens: .number(1))
            try await FileTokenStore(at: file, key: old).save(record)
            #expect(try await FileTokenStore(at: file, key: new.alsoDecrypting(with: old)).load() == record)
            try await FileTokenStore(at: file, key: new.alsoDecrypting(with: old)).save(record)
            #expect(try await FileTokenStore(at: file, key: new).load() == record)
            await expectError(\TokenStoreError.reason, .key) { try await FileTokenStore(at: file, key: old).load() }
            try await FileTokenStore(at: file, key: TokenStoreKey(text: other)).save(record)
            #expect(try await FileTokenStore(at: file, key: both).load() == record)
        }
        let many = Array(repeating: other, count: 9).joined(separator: "\n")
        expectError(\TokenStoreError.reason, .key) { try TokenStoreKey(text: many) }
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
