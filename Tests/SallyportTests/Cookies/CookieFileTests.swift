import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited)
final class CookieFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private let jar = CookieJar.forTests()

    private var file: URL { folder.appendingPathComponent("cookies.txt") }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `A jar can be saved to a file and loaded again`() throws {
        jar.store("a=1; Path=/", "b=2; Path=/x", from: "https://a.example/")
        try jar.save(to: file)
        let copy = CookieJar.forTests()
        try copy.load(from: file)
        #expect(copy.allCookies == jar.allCookies)
    }

    @Test func `Saving replaces a file that others can read by a private one and leaves no temporary file`() throws {
        let isCreated = FileManager.default.createFile(
            atPath: file.path,
            contents: Data("old".utf8),
            attributes: [.posixPermissions: 0o644]
        )
        #expect(isCreated)
        try jar.save(to: file)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cookies.txt"])
    }

    @Test func `A failed write throws cannotWrite and leaves no file behind`() throws {
        let missing = folder.appendingPathComponent("missing/cookies.txt")
        let error = #expect(throws: CookieFileError.self) { try jar.save(to: missing) }
        guard case .cannotWrite(missing.path, let reason) = error else { throw try #require(error) }
        #expect(!reason.isEmpty)

        expectError(\CookieFileError.kind, "cannotWrite") { try jar.save(to: folder) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `Loading a missing, remote or non-UTF-8 file throws an error and leaves the jar unchanged`() throws {
        jar.store("a=1", from: "https://a.example/")
        let error = #expect(throws: CookieFileError.self) { try jar.load(from: file) }
        guard case .cannotRead(file.path, let reason) = error else { throw try #require(error) }
        #expect(!reason.isEmpty)

        expectError(\CookieFileError.kind, "cannotRead") {
            try jar.load(from: cookieURL("https://a.example\(file.path)"))
        }
        expectError(\CookieFileError.kind, "cannotWrite") {
            try jar.save(to: cookieURL("https://a.example\(file.path)"))
        }
        try Data([0x23, 0xFF, 0xFE]).write(to: file)
        #expect(throws: CookieFileError.notText(path: file.path)) { try jar.load(from: file) }
        #expect(jar.allCookies.count == 1)
    }
}
