import Foundation
import NetworkServiceCompatibility
import TestSupport
import Testing

extension SharedConfigurationSuites {
    /// The folders of transfers in background sessions.
    @Suite(.concurrencyLimited) @MainActor struct BackgroundTransferTests {
        struct AddPhotos: UploadServiceDelegate {
            static var path = "/photos"
            static var method = NetworkServiceHTTPMethod.post
            static var parameters: [String: Any]? = ["a.txt": Data("a".utf8)]
            typealias V = BaseModel
        }

        private func upload(_ identifier: String?) async -> NetworkServiceErrorInfo? {
            await withCheckedContinuation { continuation in
                UploadService<AddPhotos>(uploadIdentifier: identifier, uploadProgressCallback: nil)
                    .upload(withKey: "photos") { continuation.resume(returning: $1) }
            }
        }

        @Test func `A secret in the headers is sent and not stored`() async throws {
            let isReceived = Signal()
            try await withScriptedServer([[.receiveRequest, .fire(isReceived), .stall]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    NetworkServiceConfiguration.headers["X-Api-Key"] = "canary-key"
                    let service = UploadService<AddPhotos>(uploadIdentifier: "a", uploadProgressCallback: nil)
                    let hasEnded = Watched(false)
                    service.upload(withKey: "photos") { _, _ in hasEnded.update { $0 = true } }
                    try await isReceived.wait()
                    let folder = try transferFolder()
                    let stored = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                        .compactMap { FileManager.default.contents(atPath: folder.appendingPathComponent($0).path) }
                        .map { String(decoding: $0, as: UTF8.self) }
                    #expect(server.requests.first?["X-Api-Key"] == ["canary-key"])
                    #expect(stored.contains { $0.contains("/photos") })
                    #expect(!stored.contains { $0.contains("canary") })
                    service.cancelUploadRequest()
                    try await hasEnded.wait("the end") { $0 }
                }
            }
        }

        @Test func `An identifier is used by one call at a time`() async throws {
            try await withScriptedServer([[.receiveHead, .stall]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    let first = UploadService<AddPhotos>(uploadIdentifier: "a", uploadProgressCallback: nil)
                    let hasEnded = Watched(false)
                    first.upload(withKey: "photos") { _, _ in hasEnded.update { $0 = true } }
                    _ = try await server.connection(0)
                    let error = await upload("a")
                    #expect(error?.reason.contains("is being written by another transfer") == true)
                    #expect(storedTransfers() == ["a"])
                    first.cancelUploadRequest()
                    try await hasEnded.wait("the end") { $0 }
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test func `A random identifier begins with the client bundle`() async throws {
            try await withScriptedServer([[.receiveHead, .stall]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    let service = UploadService<AddPhotos>(uploadIdentifier: nil, uploadProgressCallback: nil)
                    let hasEnded = Watched(false)
                    service.upload(withKey: "photos") { _, _ in hasEnded.update { $0 = true } }
                    _ = try await server.connection(0)
                    let identifier = try #require(storedTransfers().first)
                    let prefix = "com.networkservice.api."
                    #expect(identifier.hasPrefix(prefix))
                    #expect(UUID(uuidString: String(identifier.dropFirst(prefix.count))) != nil)
                    service.cancelUploadRequest()
                    try await hasEnded.wait("the end") { $0 }
                }
            }
        }

        @Test(arguments: ["", "a.transfer"])
        func `A folder that others can write to is refused`(name: String) async throws {
            try await withBaseURL("http://127.0.0.1:1") {
                let folder = try transferFolder().appendingPathComponent(name, isDirectory: true)
                let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: attributes
                )
                chmod(folder.path, 0o777)
                #expect(await upload("a")?.reason.contains("is writable by others") == true)
            }
        }

        @Test func `A symbolic link in the place of a body is not followed`() async throws {
            try await withBaseURL("http://127.0.0.1:1") {
                let folder = try transferFolder().appendingPathComponent("a.transfer", isDirectory: true)
                let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: attributes
                )
                let other = try documentFile("other")
                try Data("kept".utf8).write(to: other)
                let body = folder.appendingPathComponent("body")
                try FileManager.default.createSymbolicLink(at: body, withDestinationURL: other)
                #expect(await upload("a")?.reason.contains("it is a symbolic link") == true)
                let kept = try Data(contentsOf: other)
                #expect(kept == Data("kept".utf8))
            }
        }
    }
}
