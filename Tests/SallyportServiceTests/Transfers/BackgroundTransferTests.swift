import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import SallyportService

/// The transfers of services with the session type `background`, whose processes end and start again.
@Suite(.concurrencyLimited) struct BackgroundTransferTests {
    /// The gateway's description of a form.
    private struct Form: Decodable, Sendable {
        struct Part: Decodable, Sendable {
            var name: String
            var filename: String?
            var length: Int
        }
        var parts: [Part]
    }

    private struct AddFiles: UploadEndpoint {
        typealias Response = Form
        var files: [FilePart]
        var path: EndpointPath = "/multipart"
        var secret: String?
        var secretName = "X-Token"
        var fields: EndpointParameters { ["album": "Rome"] }

        func prepare(_ request: inout HttpRequest) {
            if let secret { request.setHeader(name: secretName, value: secret) }
        }
    }

    /// Runs a closure with a folder for background transfers and a folder for files.
    private func withFolders(_ body: (_ transfers: URL, _ files: URL) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let files = folder.appendingPathComponent("files", isDirectory: true)
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: false)
            try await body(folder.appendingPathComponent("transfers", isDirectory: true), files)
        }
    }

    private func service(
        _ baseURL: String,
        in folder: URL,
        client: HttpClient? = nil
    ) throws -> NetworkService {
        var configuration = try NetworkServiceConfiguration(baseURL: baseURL)
        configuration.sessionType = .background
        configuration.transferFolder = folder
        configuration.headers = ["X-Api-Key": "canary-key"]
        return NetworkService(configuration, client: client)
    }

    private func service(_ server: MockTransport, in folder: URL) throws -> NetworkService {
        try service("https://api.example.com", in: folder, client: makeClient(server).client)
    }

    /// Returns the names of the files and folders for background transfers.
    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Starts a download in a service whose server never answers, and ends the service as the end of its process would.
    private func beginDownload(_ identifier: String, in transfers: URL, to files: URL) async throws {
        let asked = Signal()
        let service = try service(
            MockTransport { _ in
                asked.fire()
                return .stall
            },
            in: transfers
        )
        let downloads = DownloadService(service, folder: files, downloadIdentifier: identifier)
        async let error = expectError(\NetworkServiceError.isCancellation, true) {
            try await downloads.download(downloadPath: "/map", fileName: "map")
        }
        try await asked.wait()
        service.cancelCurrentRequest()
        _ = await error
    }

    @Test func `An interrupted download is continued by a later service with the same identifier`() async throws {
        try await withFolders { transfers, files in
            try await Gateway.withRunning { gateway in
                let reached = Signal()
                let client = HttpClient.createClient { $0.addWireInterceptor(StallingBody(after: 1_500_000, reached)) }
                let first = try service(gateway.baseURL, in: transfers, client: client)
                let path: EndpointPath = "/bytes/2000000"
                async let error = expectError(\NetworkServiceError.isCancellation, true) {
                    try await DownloadService(first, folder: files, downloadIdentifier: "map")
                        .download(downloadPath: path, fileName: "map")
                }
                try await reached.wait()
                first.cancelCurrentRequest()
                _ = await error
                client.close()
                #expect(try await first.backgroundTransfers() == ["map"])

                let ranges = Watched<[String?]>([])
                let later = HttpClient.createClient { config in
                    config.onRequest { request in
                        let range = request.getHeader(name: "Range")
                        ranges.update { $0.append(range) }
                    }
                }
                let second = try service(gateway.baseURL, in: transfers, client: later)
                let told = Watched<Double?>(nil)
                let downloads = DownloadService(second, folder: files, downloadIdentifier: "map") { progress in
                    told.update { $0 = progress.fractionCompleted }
                }
                let file = try await downloads.download(downloadPath: path, fileName: "map")
                #expect(file.length == 2_000_000)
                #expect(try Data(contentsOf: file.url).count == 2_000_000)
                #expect(told.value == 1)
                #expect(ranges.value.count == 1)
                #expect(ranges.value.first??.hasPrefix("bytes=") == true)
                #expect(try await second.backgroundTransfers().isEmpty)
                #expect(try names(in: transfers).isEmpty)
                #expect(try names(in: files) == ["map"])
                later.close()
            }
        }
    }

    @Test func `The result of a transfer that another process has finished is received without a request`()
        async throws
    {
        try await withFolders { transfers, files in
            try await beginDownload("map", in: transfers, to: files)
            let queue = try TransferQueue(
                folder: transfers.appendingPathComponent("com.networkservice.api.map.transfer/queue"),
                client: makeClient(.text("map")).client
            )
            try await queue.runUntilEmpty()

            let server = MockTransport { _ in .status(500) }
            let downloads = DownloadService(
                try service(server, in: transfers),
                folder: files,
                downloadIdentifier: "map"
            )
            let file = try await downloads.download(downloadPath: "/map", fileName: "map")
            #expect(try Data(contentsOf: file.url) == Data("map".utf8))
            #expect(server.requests.isEmpty)
            #expect(try names(in: transfers).isEmpty)
        }
    }

    @Test func `An upload sends its fields and files, and returns the typed response`() async throws {
        try await withFolders { transfers, files in
            try await Gateway.withRunning { gateway in
                let file = files.appendingPathComponent("photo.jpg")
                try Data(count: 300_000).write(to: file)
                let service = try service(gateway.baseURL, in: transfers)
                let told = Watched<Double?>(nil)
                let endpoint = AddFiles(files: [.file(file), .data(Data("x".utf8), filename: "x.txt")])
                let uploads = UploadService(endpoint, service: service, uploadIdentifier: "photos") { progress in
                    told.update { $0 = progress.fractionCompleted }
                }
                let form = try await uploads.upload(withKey: "photos")
                #expect(form.parts.map(\.name) == ["album", "photos", "photos"])
                #expect(form.parts.map(\.filename) == [nil, "photo.jpg", "x.txt"])
                #expect(form.parts.map(\.length) == [4, 300_000, 1])
                #expect(told.value == 1)
                #expect(try names(in: transfers).isEmpty)
                service.invalidate()
            }
        }
    }

    @Test func `A secret of the service is sent and not stored`() async throws {
        try await withFolders { transfers, files in
            let asked = Signal()
            let server = MockTransport { request in
                #expect(request.header("X-Api-Key") == "canary-key")
                asked.fire()
                return .stall
            }
            let service = try service(server, in: transfers)
            let uploads = UploadService(AddFiles(files: []), service: service, uploadIdentifier: "a")
            async let error = expectError(\NetworkServiceError.isCancellation, true) {
                try await uploads.upload(withKey: "files")
            }
            try await asked.wait()
            let stored = try FileManager.default.subpathsOfDirectory(atPath: transfers.path)
                .compactMap { FileManager.default.contents(atPath: transfers.appendingPathComponent($0).path) }
                .map { String(decoding: $0, as: UTF8.self) }
            #expect(stored.contains { $0.contains("/multipart") })
            #expect(!stored.contains { $0.contains("canary") })
            service.cancelCurrentRequest()
            _ = await error
        }
    }

    @Test func `A secret that only the endpoint sets is refused before anything is sent`() async throws {
        try await withFolders { transfers, _ in
            let server = MockTransport { _ in .status(500) }
            let service = try service(server, in: transfers)
            let uploads = UploadService(AddFiles(files: [], secret: "canary"), service: service)
            let error = await expectError(\NetworkServiceError.kind, "callFailed") {
                try await uploads.upload(withKey: "files")
            }
            #expect(error?.description.contains("the header X-Token holds a secret") == true)
            #expect(server.requests.isEmpty)
            #expect(try names(in: transfers).isEmpty)
        }
    }

    @Test func `A secret of the endpoint is refused instead of replaced by the service's header of the same name`()
        async throws
    {
        try await withFolders { transfers, _ in
            let asked = Signal()
            let server = MockTransport { _ in
                asked.fire()
                return .stall
            }
            let service = try service(server, in: transfers)
            let own = AddFiles(files: [], secret: "canary", secretName: "x-api-key")
            let uploads = UploadService(own, service: service, uploadIdentifier: "a")
            let error = await expectError(\NetworkServiceError.kind, "callFailed") {
                try await uploads.upload(withKey: "files")
            }
            #expect(error?.description.contains("the header x-api-key holds a secret") == true)
            #expect(server.requests.isEmpty)
            #expect(try names(in: transfers).isEmpty)

            async let interrupted = expectError(\NetworkServiceError.isCancellation, true) {
                let common = UploadService(AddFiles(files: []), service: service, uploadIdentifier: "a")
                return try await common.upload(withKey: "files")
            }
            try await asked.wait()
            service.cancelCurrentRequest()
            _ = await interrupted
            await expectError(\NetworkServiceError.kind, "callFailed") { try await uploads.upload(withKey: "files") }
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [1, 2])
    func `The retry policy of a transfer determines how often a request is sent`(attempts: Int) async throws {
        try await withFolders { transfers, files in
            let server = MockTransport { _ in .status(503) }
            let service = try service(server, in: transfers)
            var options = (download: DownloadOptions(), upload: UploadOptions())
            options.download.retry = attempts == 1 ? .never : .constant(attempts: attempts, delay: .zero)
            options.upload.retry = options.download.retry
            options.upload.retry.methods.insert(.post)
            let downloads = DownloadService(service, folder: files, options: options.download)
            await expectError(\NetworkServiceError.kind, "refused") {
                try await downloads.download(downloadPath: "/map", fileName: "map")
            }
            #expect(server.requests.map(\.method) == Array(repeating: .get, count: attempts))
            let uploads = UploadService(AddFiles(files: []), service: service, options: options.upload)
            await expectError(\NetworkServiceError.kind, "refused") { try await uploads.upload(withKey: "files") }
            #expect(server.requests.count == 2 * attempts)
        }
    }

    @Test func `A transfer that is cancelled directly after its start is not begun`() async throws {
        try await withFolders { transfers, files in
            let server = MockTransport { _ in .status(500) }
            let service = try service(server, in: transfers)
            let ends = Watched<[Bool]>([])
            let downloads = DownloadService(service, folder: files, downloadIdentifier: "map")
            downloads.download(downloadPath: "/map", fileName: "map") { result in
                if case .failure(let error) = result { ends.update { $0.append(error.isCancellation) } }
            }
            downloads.cancelDownloadRequest()
            let uploads = UploadService(AddFiles(files: []), service: service, uploadIdentifier: "a")
            uploads.upload(withKey: "files") { result in
                if case .failure(let error) = result { ends.update { $0.append(error.isCancellation) } }
            }
            uploads.cancelUploadRequest()
            try await ends.wait("both ends") { $0.count == 2 }
            #expect(ends.value == [true, true])
            #expect(server.requests.isEmpty)
            #expect(try await service.backgroundTransfers().isEmpty)
            #expect(try names(in: files).isEmpty)
        }
    }

    @Test func `An upload that is cancelled while its body is stored is a cancellation, and is removed`() async throws {
        try await withFolders { transfers, _ in
            let (client, server) = makeClient()
            let transfer = try BackgroundTransfer(
                "a",
                in: transfers,
                sessions: BackgroundSessions(),
                client: client,
                retry: .never
            )
            let begun = Signal()
            let chunks = AsyncStream<Data>(unfolding: {
                begun.fire()
                try? await Task.sleep(for: .seconds(3_600))
                return nil
            })
            let upload = QueuedUpload(.file(transfer.body), to: "https://api.example.com/")
            let task = Task {
                try await transfer.perform(
                    QueuedTransfer(.upload(upload), identifier: "a"),
                    storing: BackgroundTransfer.Content(body: .stream(BodyStream(chunks)), fingerprint: nil),
                    reporting: nil
                )
            }
            try await begun.wait()
            task.cancel()
            await expectError(\TransferError.isCancellation, true) { try await task.value }
            transfer.unlock()
            #expect(server.requests.isEmpty)
            #expect(try names(in: transfers).isEmpty)
        }
    }

    @Test(arguments: ["", "com.networkservice.api.a.transfer"])
    func `A folder that others can write to is refused`(name: String) async throws {
        try await withFolders { transfers, _ in
            let server = MockTransport { _ in .status(500) }
            let service = try service(server, in: transfers)
            let folder = transfers.appendingPathComponent(name, isDirectory: true)
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            chmod(folder.path, 0o777)
            let uploads = UploadService(AddFiles(files: []), service: service, uploadIdentifier: "a")
            let error = await expectError(\NetworkServiceError.kind, "transferFailed") {
                try await uploads.upload(withKey: "files")
            }
            #expect(error?.description.contains("is writable by others") == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `A symbolic link in the place of a body is not followed`() async throws {
        try await withFolders { transfers, files in
            let server = MockTransport { _ in .status(500) }
            let service = try service(server, in: transfers)
            let folder = transfers.appendingPathComponent("com.networkservice.api.a.transfer", isDirectory: true)
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let other = files.appendingPathComponent("other")
            try Data("kept".utf8).write(to: other)
            try FileManager.default.createSymbolicLink(
                at: folder.appendingPathComponent("body"),
                withDestinationURL: other
            )
            let uploads = UploadService(AddFiles(files: []), service: service, uploadIdentifier: "a")
            let error = await expectError(\NetworkServiceError.kind, "transferFailed") {
                try await uploads.upload(withKey: "files")
            }
            #expect(error?.description.contains("it is a symbolic link") == true)
            #expect(try Data(contentsOf: other) == Data("kept".utf8))
            #expect(server.requests.isEmpty)
        }
    }

    #if os(Linux)
    @Test(.enabled(if: SmallDisk.canBeMounted, "only root can mount a disk, in some containers not even root"))
    func `An upload whose body does not fit on the disk is refused, and leaves no files`() async throws {
        try await withSmallDisk("512k") { folder, _ in
            let transfers = folder.appendingPathComponent("transfers", isDirectory: true)
            let server = MockTransport { _ in .status(500) }
            let service = try service(server, in: transfers)
            let files: [FilePart] = [.data(Data(count: 1_000_000), filename: "large")]
            let uploads = UploadService(AddFiles(files: files), service: service, uploadIdentifier: "a")
            let error = await expectError(\NetworkServiceError.kind, "transferFailed") {
                try await uploads.upload(withKey: "files")
            }
            guard case .diskFull = error?.info.transferError?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.requests.isEmpty)
            #expect(try names(in: transfers).isEmpty)
        }
    }
    #endif

    @Test func `An upload that is cancelled is removed`() async throws {
        try await withFolders { transfers, _ in
            let asked = Signal()
            let server = MockTransport { _ in
                asked.fire()
                return .stall
            }
            let service = try service(server, in: transfers)
            let uploads = UploadService(AddFiles(files: []), service: service, uploadIdentifier: "a")
            async let error = expectError(\NetworkServiceError.isCancellation, true) {
                try await uploads.upload(withKey: "files")
            }
            try await asked.wait()
            #expect(try await service.backgroundTransfers() == ["a"])
            uploads.cancelUploadRequest()
            _ = await error
            #expect(try await service.backgroundTransfers().isEmpty)
            #expect(try names(in: transfers).isEmpty)
        }
    }

    @Test func `A refusal contains the server's message, and the transfer can be repeated`() async throws {
        try await withFolders { transfers, files in
            let server = sequence(.json(#"{"status": {"message": "Gone.", "code": 7}}"#, status: 410), .text("map"))
            let service = try service(server, in: transfers)
            let downloads = DownloadService(service, folder: files, downloadIdentifier: "map")
            let error = await expectError(\NetworkServiceError.kind, "refused") {
                try await downloads.download(downloadPath: "/map", fileName: "map")
            }
            #expect(error?.info.message == "Gone.")
            #expect(error?.info.status == .gone)
            #expect(try await service.backgroundTransfers() == ["map"])
            let file = try await downloads.download(downloadPath: "/map", fileName: "map")
            #expect(try Data(contentsOf: file.url) == Data("map".utf8))
            #expect(try names(in: transfers).isEmpty)
        }
    }

    @Test func `A failed transfer without an identifier is removed`() async throws {
        try await withFolders { transfers, files in
            let service = try service(MockTransport { _ in .status(410) }, in: transfers)
            await expectError(\NetworkServiceError.kind, "refused") {
                try await DownloadService(service, folder: files).download(downloadPath: "/map", fileName: "map")
            }
            await expectError(\NetworkServiceError.kind, "refused") {
                try await UploadService(AddFiles(files: []), service: service).upload(withKey: "files")
            }
            #expect(try await service.backgroundTransfers().isEmpty)
            #expect(try names(in: transfers).isEmpty)
        }
    }

    @Test func `An identifier is used by one call at a time, and for one URL`() async throws {
        try await withFolders { transfers, files in
            let asked = Signal()
            let server = MockTransport { _ in
                asked.fire()
                return .stall
            }
            let service = try service(server, in: transfers)
            let downloads = DownloadService(service, folder: files, downloadIdentifier: "map")
            async let first = expectError(\NetworkServiceError.isCancellation, true) {
                try await downloads.download(downloadPath: "/map", fileName: "map")
            }
            try await asked.wait()
            let second = await expectError(\NetworkServiceError.kind, "transferFailed") {
                try await downloads.download(downloadPath: "/map", fileName: "map")
            }
            #expect(second?.description.contains("is being written by another transfer") == true)
            await expectError(\NetworkServiceError.kind, "transferFailed") {
                try await service.removeBackgroundTransfer("map")
            }
            service.cancelCurrentRequest()
            _ = await first

            let other = await expectError(\NetworkServiceError.kind, "transferFailed") {
                try await downloads.download(downloadPath: "/other", fileName: "map")
            }
            #expect(other?.description.contains("exists with another URL or destination") == true)
            #expect(server.requests.count == 1)
            try await service.removeBackgroundTransfer("map")
            #expect(try await service.backgroundTransfers().isEmpty)
            #expect(try names(in: files).isEmpty)
        }
    }

    @Test func `The identifier of a transfer begins with the client bundle, and is random unless specified`()
        async throws
    {
        try await withFolders { transfers, files in
            let asked = Watched(0)
            let server = MockTransport { _ in
                asked.update { $0 += 1 }
                return .stall
            }
            var configuration = try NetworkServiceConfiguration(baseURL: "https://api.example.com")
            configuration.sessionType = .background
            configuration.transferFolder = transfers
            configuration.clientBundle = "com.example.app"
            let service = NetworkService(configuration, client: makeClient(server).client)
            let downloads = DownloadService(service, folder: files)
            let uploads = UploadService(AddFiles(files: []), service: service)
            async let download = expectError(\NetworkServiceError.isCancellation, true) {
                try await downloads.download(downloadPath: "/map", fileName: "map")
            }
            async let upload = expectError(\NetworkServiceError.isCancellation, true) {
                try await uploads.upload(withKey: "files")
            }
            try await asked.wait("both transfers") { $0 == 2 }
            let identifiers = try await service.backgroundTransfers()
            #expect(Set(identifiers).count == 2)
            #expect(identifiers.allSatisfy { UUID(uuidString: $0) != nil }, "\(identifiers)")
            let folders = try names(in: transfers).filter { $0.hasSuffix(".transfer") }
            #expect(folders == identifiers.map { "com.example.app.\($0).transfer" })
            service.cancelCurrentRequest()
            _ = await (download, upload)
        }
    }

    /// Starts an upload in a service whose server never answers, and ends the service as the end of its process would.
    private func beginUpload(_ files: [FilePart], in transfers: URL) async throws {
        let asked = Signal()
        let server = MockTransport { _ in
            asked.fire()
            return .stall
        }
        let service = try service(server, in: transfers)
        async let error = expectError(\NetworkServiceError.isCancellation, true) {
            try await UploadService(AddFiles(files: files), service: service, uploadIdentifier: "a")
                .upload(withKey: "files")
        }
        try await asked.wait()
        service.cancelCurrentRequest()
        _ = await error
    }

    @Test func `An interrupted upload is continued with the same files only`() async throws {
        try await withFolders { transfers, files in
            let file = files.appendingPathComponent("b.txt")
            try Data("from a file".utf8).write(to: file)
            try await beginUpload([.data(Data("first".utf8), filename: "a.txt"), .file(file)], in: transfers)

            let server = MockTransport { _ in .json(#"{"parts": []}"#) }
            let service = try service(server, in: transfers)
            func upload(_ text: String) async throws(NetworkServiceError) {
                let files: [FilePart] = [.data(Data(text.utf8), filename: "a.txt"), .file(file)]
                let uploads = UploadService(AddFiles(files: files), service: service, uploadIdentifier: "a")
                _ = try await uploads.upload(withKey: "files")
            }
            let error = await expectError(\NetworkServiceError.kind, "transferFailed") { try await upload("second") }
            #expect(error?.description.contains("api.a exists with other files") == true)
            #expect(server.requests.isEmpty)
            #expect(try await service.backgroundTransfers() == ["a"])

            try await upload("first")
            #expect(server.requests.count == 1)
            let body = server.requests.first?.text ?? ""
            #expect(body.contains("first") && body.contains("from a file"))
            #expect(try names(in: transfers).isEmpty)
        }
    }

    @Test func `An interrupted upload is continued without its files`() async throws {
        try await withFolders { transfers, _ in
            try await beginUpload([.data(Data("first".utf8), filename: "a.txt")], in: transfers)
            let server = MockTransport { _ in .json(#"{"parts": []}"#) }
            let service = try service(server, in: transfers)
            let uploads = UploadService(AddFiles(files: []), service: service, uploadIdentifier: "a")
            _ = try await uploads.upload(withKey: "files")
            #expect(server.requests.first?.text.contains("first") == true)
            #expect(try names(in: transfers).isEmpty)
        }
    }

    @MainActor private final class Handled {
        let count = Watched(0)
        private(set) var identifiers: [String] = []

        func handle(_ identifier: String, with service: NetworkService) {
            service.handleEvents(forBackgroundSession: identifier) {
                self.identifiers.append(identifier)
                self.count.update { $0 += 1 }
            }
        }
    }

    @Test func `The handler of a session's events can use state of the main actor`() async throws {
        try await withFolders { transfers, _ in
            let service = try service(MockTransport { _ in .status(500) }, in: transfers)
            let handled = Handled()
            await handled.handle("com.networkservice.api.map", with: service)
            try await handled.count.wait("the handler") { $0 == 1 }
            #expect(await handled.identifiers == ["com.networkservice.api.map"])
        }
    }

    @Test(arguments: ["../a", "a/b", "a b"])
    func `An identifier that is not a file name is refused before anything is stored`(identifier: String) async throws {
        try await withFolders { transfers, files in
            let server = MockTransport { _ in .text("x") }
            let service = try service(server, in: transfers)
            let downloads = DownloadService(service, folder: files, downloadIdentifier: identifier)
            let error = await expectError(\NetworkServiceError.kind, "callFailed") {
                try await downloads.download(downloadPath: "/map", fileName: "map")
            }
            #expect(error?.description.contains("is invalid; choose 1 to 100 letters") == true)
            #expect(server.requests.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: transfers.path))
        }
    }
}

/// Passes a response's body on until a number of bytes have passed, and then waits until the task is cancelled.
private struct StallingBody: Interceptor {
    private struct Source: ResponseBodySource {
        let body: ResponseBody
        let left: Watched<Int>
        let reached: Signal
        var trailers: HTTPFields { body.trailers }

        func read() async throws(NetworkError) -> Data? {
            if left.value <= 0 {
                reached.fire()
                try? await Task.sleep(for: .seconds(3_600))
                throw .cancelled("the task was cancelled")
            }
            var chunks = body.makeAsyncIterator()
            do {
                let chunk = try await chunks.next()
                left.update { $0 -= chunk?.count ?? 0 }
                return chunk
            } catch {
                throw error as? NetworkError ?? .cancelled("the task was cancelled")
            }
        }

        func cancel() { body.cancel() }
    }

    let limit: Int
    let reached: Signal

    init(after limit: Int, _ reached: Signal) {
        self.limit = limit
        self.reached = reached
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var response = try await next(request)
        let body = response.bodyStream
        response.bodyStream = ResponseBody(
            length: body.length,
            source: Source(body: body, left: Watched(limit), reached: reached)
        )
        return response
    }
}
