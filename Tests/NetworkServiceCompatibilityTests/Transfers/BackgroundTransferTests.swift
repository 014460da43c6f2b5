import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers
import TestSupport
import Testing

@testable import NetworkServiceCompatibility

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

        @Test func `An upload that is cancelled directly after its start sends no request and leaves no files`()
            async throws
        {
            try await withScriptedServer([[.receiveHead, .stall]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    let service = UploadService<AddPhotos>(uploadIdentifier: "a", uploadProgressCallback: nil)
                    let cancellations = Watched<[Bool?]>([])
                    service.upload(withKey: "photos") { _, error in
                        cancellations.update { $0.append(error?.transferError?.isCancellation) }
                    }
                    service.cancelUploadRequest()
                    try await cancellations.wait("the end") { !$0.isEmpty }
                    #expect(cancellations.value == [true])
                    #expect(server.requests.isEmpty)
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test func `An upload that is cancelled while its body is stored is removed`() async throws {
            try await withTemporaryDirectory { folder in
                let transfers = folder.appendingPathComponent("transfers", isDirectory: true)
                let transfer = try BackgroundTransfer(
                    "a",
                    in: transfers,
                    sessions: BackgroundSessions(),
                    client: HttpClient.createClient()
                )
                let begun = Signal()
                let chunks = AsyncStream<Data>(unfolding: {
                    begun.fire()
                    try? await Task.sleep(for: .seconds(3_600))
                    return nil
                })
                let content = BackgroundTransfer.Content(body: .stream(BodyStream(chunks)), fingerprint: nil)
                let upload = QueuedUpload(.file(transfer.body), to: "https://api.example.com/")
                let task = Task { try await transfer.perform(.upload(upload), storing: content, reporting: nil) }
                try await begun.wait()
                task.cancel()
                await expectError(\TransferError.isCancellation, true) { try await task.value }
                let names = try FileManager.default.contentsOfDirectory(atPath: transfers.path)
                #expect(names.isEmpty)
            }
        }

        #if os(Linux)
        @Test(.enabled(if: SmallDisk.canBeMounted, "only root can mount a disk, in some containers not even root"))
        func `An upload whose body does not fit on the disk is refused, and leaves no files`() async throws {
            try await withSmallDisk("512k") { disk, _ in
                try await withBaseURL("http://127.0.0.1:1") {
                    let documents = try documentFile("x").deletingLastPathComponent()
                    let transfers = disk.appendingPathComponent("transfers", isDirectory: true)
                    SharedState.shared.withLock { $0.folders = (transfers, documents) }
                    let parameters = AddPhotos.parameters
                    defer { AddPhotos.parameters = parameters }
                    AddPhotos.parameters = ["large": Data(count: 1_000_000)]
                    let error = await upload("a")
                    guard case .diskFull = error?.transferError?.reason else {
                        Issue.record("\(String(describing: error))")
                        return
                    }
                    let names = try FileManager.default.contentsOfDirectory(atPath: transfers.path)
                    #expect(names.isEmpty)
                }
            }
        }
        #endif
    }
}
