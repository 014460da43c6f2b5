import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportService
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ServiceTransfersTests {
    private struct Stored: Decodable, Sendable { var length: Int }

    private struct Store: Endpoint {
        typealias Response = Stored
        var content = Data("x".utf8)
        var path: EndpointPath { "/upload" }
        var body: EndpointBody { .raw(.data(content), contentType: "text/plain") }
    }

    private struct AddFiles: Endpoint {
        /// The gateway's response.
        struct Response: Decodable {
            var method: String
            var headers: [String: [String]]
            var body: String
        }

        var form: MultipartForm
        var path: EndpointPath { "/echo/files" }
        var body: EndpointBody { .multipart(form) }
    }

    // MARK: Downloads

    @Test func `A file is downloaded under the given name, and its progress is reported in bytes`() async throws {
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                let service = try ServiceClient(baseURL: gateway.baseURL)
                let reports = Watched<[Int64]>([])
                let file = folder.appendingPathComponent("map.bin")
                let map = try await service.download(PathOnly(path: "/bytes/2000000"), to: .file(file)) { progress in
                    reports.update { $0.append(progress.completedBytes) }
                }
                #expect(map.url == file)
                #expect(try Data(contentsOf: file).count == 2_000_000)
                #expect(reports.value.last == 2_000_000)
            }
        }
    }

    @Test func `A file is named by the URL, and the parameters of its endpoint are sent`() async throws {
        try await withTemporaryDirectory { folder in
            let (service, server) = try service(.text("x")) { $0.headers = ["X-App": "1"] }
            let endpoint = PathOnly(path: "/maps/{kind}", parameters: ["kind": "road map", "version": 2])
            let map = try await service.download(endpoint, to: .folder(folder))
            #expect(map.url.lastPathComponent == "road map")
            #expect(server.requests.map(\.head.path) == ["/v1/maps/road%20map?version=2"])
            #expect(server.requests.map { $0.header("X-App") } == ["1"])
        }
    }

    @Test func `A refused download throws an error with the server's message and leaves no file`() async throws {
        try await withTemporaryDirectory { folder in
            let message = #"{"status": {"message": "Gone.", "code": 7}}"#
            let (service, _) = try service(.json(message, status: 410))
            let error = await expectError(\NetworkServiceError.kind, "refused") {
                try await service.download(PathOnly(path: "/map"), to: .folder(folder))
            }
            #expect(error?.info.message == "Gone.")
            #expect(error?.info.transferError != nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func `Cancelling the task cancels the download`() async throws {
        try await withTemporaryDirectory { folder in
            let isCalled = Signal()
            let service = try service(
                MockTransport { _ in
                    isCalled.fire()
                    return .stall
                }
            )
            let task = Task {
                await expectError(\NetworkServiceError.isCancellation, true) {
                    try await service.download(PathOnly(path: "/map"), to: .folder(folder))
                }
            }
            try await isCalled.wait()
            task.cancel()
            _ = await task.value
        }
    }

    // MARK: Uploads

    @Test func `Files and fields of a form are uploaded`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("one.txt")
            try Data("first".utf8).write(to: file)
            try await Gateway.withRunning { gateway in
                let service = try ServiceClient(baseURL: gateway.baseURL)
                var form = MultipartForm()
                form.append(name: "album", value: "Rome")
                form.append(name: "photos", file: file)
                form.append(name: "photos", data: Data("second".utf8), filename: "two.png")
                let echo = try await service.upload(AddFiles(form: form))
                #expect(echo.method == "POST")
                #expect(echo.headers["content-type"]?.first?.hasPrefix("multipart/form-data; boundary=") == true)
                #expect(echo.body.components(separatedBy: "name=\"photos\"").count == 3)
                for text in ["name=\"album\"", "Rome", "first", "second", "one.txt", "two.png", "image/png"] {
                    #expect(echo.body.contains(text))
                }
            }
        }
    }

    @Test func `The progress of an upload is reported in bytes and completes with it`() async throws {
        try await Gateway.withRunning { gateway in
            let service = try ServiceClient(baseURL: gateway.baseURL)
            let reports = Watched<[TransferProgress]>([])
            let stored = try await service.upload(Store(content: Data(count: 3_000_000))) { progress in
                reports.update { $0.append(progress) }
            }
            #expect(stored.length == 3_000_000)
            #expect(reports.value.last?.completedBytes == 3_000_000)
            #expect(reports.value.last?.fraction == 1)
        }
    }

    @Test func `A refused upload throws an error with the server's message`() async throws {
        let (service, _) = try service(.json(#"{"status": {"message": "Too large.", "code": 7}}"#, status: 413))
        let error = await expectError(\NetworkServiceError.kind, "refused") { try await service.upload(Store()) }
        #expect(error?.info.message == "Too large.")
        #expect(error?.info.code == "7")
    }

    @Test func `A missing file fails the upload before anything is sent`() async throws {
        let (service, server) = try service(.json("{}"))
        var form = MultipartForm()
        form.append(name: "file", file: URL(fileURLWithPath: "/nowhere/x.txt"))
        let error = await expectError(\NetworkServiceError.isCancellation, false) { [form] in
            try await service.upload(AddFiles(form: form))
        }
        #expect(error?.description.contains("/nowhere/x.txt") == true)
        #expect(server.requests.isEmpty)
    }

    @Test func `The service's timeout limits the response head, not the transfer, and an endpoint's limits all`()
        async throws
    {
        struct Limited: Endpoint {
            var path: EndpointPath { "/upload" }
            var body: EndpointBody { .raw(.data(Data("x".utf8)), contentType: "text/plain") }
            func prepare(_ request: inout HttpRequest) { request.timeout = 20 }
        }
        let (service, server) = try service(.json(#"{"length": 1}"#)) { $0.timeout = 7 }
        _ = try await service.upload(Store())
        #expect(server.requests.last?.timeouts.total == nil)
        #expect(server.requests.last?.timeouts.head == .seconds(7))
        try await service.upload(Limited())
        #expect(server.requests.last?.timeouts.total?.roundedUp == 20)
    }
}

/// The progress closures of many transfers, some of which run at the same time.
@Suite(.busy) struct FinalProgressTests {
    private typealias Report = @Sendable (TransferProgress) -> Void

    private struct Store: Endpoint {
        var path: EndpointPath { "/upload" }
        var body: EndpointBody { .raw(.data(Data(count: 20_000)), contentType: "application/octet-stream") }
    }

    @Test func `The last report of each of 200 downloads is 1.0`() async throws {
        try await withTemporaryDirectory { folder in
            let fractions = try await lastFractions { service, number, report in
                let file = folder.appendingPathComponent("\(number)")
                _ = try await service.download(PathOnly(path: "/bytes/20000"), to: .file(file), onProgress: report)
            }
            #expect(fractions == Array(repeating: 1, count: 200))
        }
    }

    @Test func `The last report of each of 200 uploads is 1.0`() async throws {
        let fractions = try await lastFractions { service, _, report in
            try await service.upload(Store(), onProgress: report)
        }
        #expect(fractions == Array(repeating: 1, count: 200))
    }

    /// Performs 200 transfers from or to a gateway, eight at a time, and returns the last reported fraction of each.
    private func lastFractions(
        _ transfer: @escaping @Sendable (ServiceClient, Int, @escaping Report) async throws -> Void
    ) async throws -> [Double?] {
        try await Gateway.withRunning { gateway in
            let service = try ServiceClient(baseURL: gateway.baseURL)
            return try await withThrowingTaskGroup { group in
                for worker in 0..<8 {
                    group.addTask {
                        var fractions: [Double?] = []
                        for number in 0..<25 {
                            let last = Watched<Double?>(nil)
                            try await transfer(service, worker * 25 + number) { progress in
                                last.update { $0 = progress.fraction }
                            }
                            fractions.append(last.value)
                        }
                        return fractions
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
    }
}
