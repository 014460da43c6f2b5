import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportService
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DownloadServiceTests {
    @Test func `A file is downloaded under the given name, and its progress is reported in bytes`() async throws {
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                let service = try NetworkService(baseURL: gateway.baseURL)
                let told = Watched<[Int64]>([])
                let downloads = DownloadService(service, folder: folder) { progress in
                    told.update { $0.append(progress.completedUnitCount) }
                }
                let file = try await downloads.download(downloadPath: "/bytes/\(2_000_000)", fileName: "map.bin")
                #expect(file.url.lastPathComponent == "map.bin")
                #expect(try Data(contentsOf: file.url).count == 2_000_000)
                #expect(told.value.last == 2_000_000)
                service.invalidate()
            }
        }
    }

    @Test func `A download carries the headers of the configuration and those that were added later`() async throws {
        try await withTemporaryDirectory { folder in
            let (service, server) = try service(.text("x")) { $0.headers = ["X-App": "1"] }
            service.addRequestHeader(key: "X-Call", value: "2")
            _ = try await DownloadService(service, folder: folder).download(downloadPath: "/x", fileName: "x")
            #expect(server.requests.map { $0.header("X-App") } == ["1"])
            #expect(server.requests.map { $0.header("X-Call") } == ["2"])
        }
    }

    @Test func `The completion form returns the file once, named by the URL`() async throws {
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                let service = try NetworkService(baseURL: gateway.baseURL)
                let ended = Watched<[Result<DownloadedFile, NetworkServiceError>]>([])
                DownloadService(service, folder: folder).download(downloadPath: "/bytes/1000") { result in
                    ended.update { $0.append(result) }
                }
                try await ended.wait("the file") { !$0.isEmpty }
                #expect(try ended.value[0].get().url.lastPathComponent == "1000")
                #expect(ended.value.count == 1)
                service.invalidate()
            }
        }
    }

    @MainActor private final class Failures {
        private(set) var kinds: [String] = []

        func add(from downloads: DownloadService) -> Task<Void, Never> {
            downloads.download(downloadPath: "/x", fileName: "x") { result in
                if case .failure(let error) = result { self.kinds.append(error.kind) }
            }
        }
    }

    @Test func `The completion of a download can use state of the main actor`() async throws {
        let (service, _) = try service(.status(404))
        try await withTemporaryDirectory { folder in
            let failures = Failures()
            await failures.add(from: DownloadService(service, folder: folder)).value
            #expect(await failures.kinds == ["refused"])
        }
    }

    @Test func `A path can have a query, and parameters follow it`() async throws {
        try await withTemporaryDirectory { folder in
            let (service, server) = try service(.text("x"))
            let downloads = DownloadService(service, folder: folder)
            let region = "a&b=c?"
            _ = try await downloads.download(
                downloadPath: "/maps/{kind}?signed=%2Fx&token&region=\(region)",
                parameters: ["kind": "road map", "version": 2],
                fileName: "1"
            )
            _ = try await downloads.download(downloadPath: "/maps", parameters: ["version": 3], fileName: "2")
            let plain = try await downloads.download(downloadPath: "/maps/rome.zip?version=4")
            #expect(plain.url.lastPathComponent == "rome.zip")
            #expect(
                server.requests.map(\.head.path) == [
                    "/v1/maps/road%20map?signed=%2Fx&token&region=a%26b%3Dc%3F&version=2",
                    "/v1/maps?version=3", "/v1/maps/rome.zip?version=4",
                ]
            )
        }
    }

    @Test(arguments: ["/maps?region={region}", "/maps?region=x#top"])
    func `A query with a fragment or a name in braces is refused before anything is sent`(path: String) async throws {
        try await withTemporaryDirectory { folder in
            let (service, server) = try service(.text("x"))
            let downloads = DownloadService(service, folder: folder)
            let error = await expectError(\NetworkServiceError.kind, "invalidEndpoint") {
                try await downloads.download(downloadPath: EndpointPath(path), parameters: ["region": "x"])
            }
            #expect(error?.info.advice == "pass the values as parameters")
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: ["", ".", "..", "../x", "a/b", "/etc/x", #"a\b"#, "a\0b"])
    func `A file name that is a path is refused before anything is sent`(name: String) async throws {
        try await withTemporaryDirectory { folder in
            let (service, server) = try service(.text("x"))
            do throws(NetworkServiceError) {
                _ = try await DownloadService(service, folder: folder).download(downloadPath: "/x", fileName: name)
                Issue.record("not refused")
            } catch {
                #expect(error.description.contains("is not a file name"))
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `An error status throws an error with the server's message and leaves no file`() async throws {
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                let service = try NetworkService(baseURL: gateway.baseURL)
                do throws(NetworkServiceError) {
                    _ = try await DownloadService(service, folder: folder)
                        .download(downloadPath: "/api/problems/404", fileName: "x")
                    Issue.record("not refused")
                } catch {
                    guard case .refused(let info) = error else { Issue.record("\(error)"); return }
                    #expect(info.message == "It did not work.")
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
                service.invalidate()
            }
        }
    }

    @Test func `A download that is cancelled directly after its start sends no request`() async throws {
        try await withTemporaryDirectory { folder in
            let (service, server) = try service(.text("x"))
            let downloads = DownloadService(service, folder: folder)
            let ended = Watched<[Bool]>([])
            downloads.download(downloadPath: "/x", fileName: "x") { result in
                if case .failure(let error) = result { ended.update { $0.append(error.isCancellation) } }
            }
            downloads.cancelDownloadRequest()
            try await ended.wait("the end") { $0 == [true] }
            #expect(server.requests.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func `Cancelling a download reports a cancellation`() async throws {
        try await withTemporaryDirectory { folder in
            let asked = Signal()
            let server = MockTransport { _ in
                asked.fire()
                return .stall
            }
            let service = try service(server)
            let downloads = DownloadService(service, folder: folder)
            let ended = Watched<[Bool]>([])
            downloads.download(downloadPath: "/x", fileName: "x") { result in
                if case .failure(let error) = result { ended.update { $0.append(error.isCancellation) } }
            }
            try await asked.wait()
            downloads.cancelDownloadRequest()
            try await ended.wait("the end") { $0 == [true] }
        }
    }
}
