import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportService
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct UploadServiceTests {
    private struct Stored: Decodable, Sendable { var length: Int }

    /// The gateway's response.
    private struct Echo: Decodable, Sendable {
        var method: String
        var headers: [String: [String]]
        var body: String
    }

    private struct AddFiles: UploadEndpoint {
        typealias Response = Echo
        var files: [FilePart]
        var path: EndpointPath { "/echo/files" }
        var fields: EndpointParameters { ["album": "Rome", "tags": ["a", "b"]] }
    }

    private struct Store: UploadEndpoint {
        typealias Response = Stored
        var files: [FilePart]
        var path: EndpointPath { "/upload" }
    }

    private struct Add: UploadEndpoint {
        typealias Response = BaseResponse<Stored>
        var files: [FilePart] = [.data(Data("x".utf8), filename: "x.txt")]
        var path: EndpointPath { "/files" }
    }

    @Test func `Several files are sent under one key, with the other fields`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("one.txt")
            try Data("first".utf8).write(to: file)
            try await Gateway.withRunning { gateway in
                let service = try NetworkService(baseURL: gateway.baseURL)
                let files: [FilePart] = [.file(file), .data(Data("second".utf8), filename: "two.png")]
                let answer = try await UploadService(AddFiles(files: files), service: service).upload(withKey: "photos")
                #expect(answer.method == "POST")
                #expect(answer.headers["content-type"]?.first?.hasPrefix("multipart/form-data; boundary=") == true)
                #expect(answer.body.components(separatedBy: "name=\"photos\"").count == 3)
                #expect(answer.body.components(separatedBy: "name=\"tags\"").count == 3)
                for text in ["name=\"album\"", "Rome", "first", "second", "one.txt", "two.png", "image/png"] {
                    #expect(answer.body.contains(text))
                }
                service.invalidate()
            }
        }
    }

    @Test func `An upload carries the headers of the configuration and those that were added later`() async throws {
        let (service, server) = try service(.json(#"{"status": {}}"#)) { $0.headers = ["X-App": "1"] }
        service.addRequestHeader(key: "X-Call", value: "2")
        _ = try await UploadService(Add(), service: service).upload(withKey: "file")
        #expect(server.requests.map { $0.header("X-App") } == ["1"])
        #expect(server.requests.map { $0.header("X-Call") } == ["2"])
    }

    @Test func `The progress is reported in bytes and completes with the upload`() async throws {
        try await Gateway.withRunning { gateway in
            let service = try NetworkService(baseURL: gateway.baseURL)
            let told = Watched<[(Int64, Int64)]>([])
            let ended = Watched<[Result<Stored, NetworkServiceError>]>([])
            let data = Data(count: 3_000_000)
            let upload = UploadService(Store(files: [.data(data, filename: "large")]), service: service) { progress in
                told.update { $0.append((progress.completedUnitCount, progress.totalUnitCount)) }
            }
            upload.upload(withKey: "file") { result in ended.update { $0.append(result) } }
            try await ended.wait("the response") { !$0.isEmpty }
            let length = try Int64(ended.value[0].get().length)
            #expect(length > 3_000_000)
            #expect(told.value.last?.0 == length)
            #expect(told.value.last?.1 == length)
            #expect(ended.value.count == 1)
            service.invalidate()
        }
    }

    @MainActor @Test func `The completion of an upload can use state of the main actor`() async throws {
        let (service, _) = try service(.status(400))
        var statuses: [Int?] = []
        await UploadService(Add(), service: service).upload(withKey: "file") { result in
            if case .failure(let error) = result { statuses.append(error.info.response?.status.code) }
        }.value
        #expect(statuses == [400])
    }

    @Test func `An error status throws an error with the server's message`() async throws {
        let (service, _) = try service(.json(#"{"status": {"message": "Too large.", "code": 7}}"#, status: 413))
        do throws(NetworkServiceError) {
            _ = try await UploadService(Add(), service: service).upload(withKey: "file")
            Issue.record("not refused")
        } catch {
            guard case .refused(let info) = error else { Issue.record("\(error)"); return }
            #expect(info.message == "Too large.")
            #expect(info.code == "7")
            #expect(info.transferError != nil)
        }
    }

    @Test func `A missing file fails the upload before anything is sent`() async throws {
        let (service, server) = try service(.json("{}"))
        let missing = Add(files: [.file(URL(fileURLWithPath: "/nowhere/x.txt"))])
        do throws(NetworkServiceError) {
            _ = try await UploadService(missing, service: service).upload(withKey: "file")
            Issue.record("not refused")
        } catch {
            #expect(error.description.contains("/nowhere/x.txt"))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `An upload can be cancelled by itself and by its service`() async throws {
        let asked = Watched(0)
        let server = MockTransport { _ in
            asked.update { $0 += 1 }
            return .stall
        }
        let service = try service(server)
        let ends = Watched(0)
        let upload = UploadService(Add(), service: service)
        for round in 1...2 {
            upload.upload(withKey: "file") { result in
                if case .failure(let error) = result, error.isCancellation { ends.update { $0 += 1 } }
            }
            try await asked.wait("the upload to start") { $0 == round }
            if round == 1 { upload.cancelUploadRequest() } else { service.cancelCurrentRequest() }
            try await ends.wait("the end") { $0 == round }
        }
    }

    @Test func `The service's timeout limits the response head, not the upload`() async throws {
        let (service, server) = try service(.json(#"{"status": {}}"#)) { $0.timeout = 7 }
        _ = try await UploadService(Add(), service: service).upload(withKey: "file")
        #expect(server.requests.last?.timeouts.total == nil)
        #expect(server.requests.last?.timeouts.head == .seconds(7))
    }
}
