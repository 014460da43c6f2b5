import Foundation
import Measuring
import Sallyport
import SallyportTransfers
import SallyportTransport

@main
enum SallyportClient {
    static func main() async throws {
        let job = try Job()
        // The directory of a cache. A run begins with an empty one.
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let client = try HttpClient.createClient { config in try configure(&config, for: job, cachingIn: directory) }
        switch job.kind {
        case .get where job.options["json"] != nil:
            try await job.measure { _ in try await post(to: job.url, by: client) }
        case .get where job.options["reload"] != nil:
            try await job.measure { number in
                let response = try await client.request { request in
                    request.url = job.url(at: number)
                    request.setHeader(name: "Cache-Control", value: "no-cache")
                }
                try check(response)
            }
        case .get, .hold: try await job.measure { try await get(job.url(at: $0), by: client) }
        case .connect:
            try await job.measure { number in
                let response = try await client.request { request in
                    request.url = job.url(at: number)
                    request.setHeader(name: "Connection", value: "close")
                }
                try check(response)
            }
        case .download where job.options["save"] != nil: try await save(job, by: client)
        case .upload where job.options["transfer"] != nil: try await send(job, by: client)
        case .download: try await job.measure { _ in try await download(job.url, by: client) }
        case .upload: try await upload(job, by: client)
        case .seal, .open: throw Unexpected(what: "client-sallyport has no \(job.kind)")
        }
    }

    private static func configure(
        _ config: inout HttpClientConfiguration,
        for job: Job,
        cachingIn directory: URL
    ) throws {
        config.timeout = 120
        config.transportConfiguration.connections.perHost = max(job.tasks, 16)
        config.transportConfiguration.connections.total = max(job.tasks, job.hosts, 256)
        if let authority = job.authority {
            config.transportConfiguration.security.trustRoots = .file(URL(fileURLWithPath: authority))
        }
        config.httpVersions = job.options["http2"] == nil ? .http1 : .http2
        if let pin = job.options["pin"] {
            try config.pins.pin("localhost", to: pin.split(separator: ",").map(String.init))
        }
        switch job.options["cache"] {
        case "memory": config.cache = HttpCache(storage: MemoryCacheStorage())
        case "directory": config.cache = HttpCache(storage: DirectoryCacheStorage(at: directory))
        default: break
        }
        for _ in 0..<(job.options["interceptors"].flatMap(Int.init) ?? 0) { config.addInterceptor(NoOp()) }
    }

    private static func get(_ url: String, by client: HttpClient) async throws {
        try check(await client.request { $0.url = url })
    }

    private static func post(to url: String, by client: HttpClient) async throws {
        let response = try await client.request { request in
            request.url = url
            request.post(contentType: "application/json", body: Job.json)
        }
        try check(response)
    }

    private static func download(_ url: String, by client: HttpClient) async throws {
        let size = try await client.stream { request in
            request.url = url
        } handle: { response in
            var size = 0
            for try await chunk in response.bodyStream { size += chunk.count }
            return size
        }
        guard size >= 1 << 20 else { throw Unexpected(what: "\(size) bytes") }
    }

    /// Downloads to a file, as an app does.
    private static func save(_ job: Job, by client: HttpClient) async throws {
        let file = URL(fileURLWithPath: job.options["save"] ?? "")
        try? FileManager.default.removeItem(at: file)
        let measurement = try await Measurement.of {
            let saved = try await client.download(to: .file(file)) { $0.url = job.url }.value
            guard saved.length >= 1 << 20 else { throw Unexpected(what: "\(saved.length) bytes") }
        }
        measurement.report(calls: 1)
    }

    /// Uploads a file, as an app does.
    private static func send(_ job: Job, by client: HttpClient) async throws {
        let measurement = try await Measurement.of {
            let transfer = client.upload { request in
                request.url = job.url
                request.setMethod(.put)
                request.body = .file(URL(fileURLWithPath: job.options["file"] ?? ""))
            }
            try check(await transfer.value)
        }
        measurement.report(calls: 1)
    }

    private static func upload(_ job: Job, by client: HttpClient) async throws {
        let measurement = try await Measurement.of {
            let response = try await client.request { request in
                request.url = job.url
                request.setMethod(.put)
                request.body =
                    job.options["file"].map { .file(URL(fileURLWithPath: $0)) } ?? .stream(Self.body(of: job.calls))
            }
            try check(response)
        }
        measurement.report(calls: 1)
    }

    private static func body(of size: Int) -> BodyStream {
        let chunk = Data(repeating: 7, count: 64 << 10)
        return BodyStream(Repeated(chunk: chunk, count: size / chunk.count), length: Int64(size))
    }

    private static func check(_ response: HttpResponse) throws {
        guard response.status.isSuccess() else { throw Unexpected(what: "\(response.status)") }
    }
}

private struct NoOp: Interceptor {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse { try await next(request) }
}
