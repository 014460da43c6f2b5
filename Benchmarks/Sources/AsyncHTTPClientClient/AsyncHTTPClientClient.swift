import AsyncHTTPClient
import Measuring
import NIOCore
import NIOSSL

/// AsyncHTTPClient with its fastest settings: without redirects, decompression and cookies.
@main
enum AsyncHTTPClientClient {
    static func main() async throws {
        let job = try Job()
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration(for: job))
        switch job.kind {
        case .get, .hold: try await job.measure { try await get(job.url(at: $0), by: client) }
        case .connect:
            try await job.measure { try await get(job.url(at: $0), by: client, headers: [("Connection", "close")]) }
        case .download: try await job.measure { _ in try await download(job.url, by: client) }
        case .upload: try await upload(job, by: client)
        case .seal, .open: throw Unexpected(what: "AsyncHTTPClient has no \(job.kind)")
        }
        try await client.shutdown()
    }

    private static func configuration(for job: Job) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = job.options["http2"] == nil ? .http1Only : .automatic
        configuration.timeout = .init(connect: .seconds(120), read: nil)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(job.tasks, 8)
        if let authority = job.authority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authority)
            configuration.tlsConfiguration = tls
        }
        return configuration
    }

    private static func get(_ url: String, by client: HTTPClient, headers: [(String, String)] = []) async throws {
        var request = HTTPClientRequest(url: url)
        request.headers.add(contentsOf: headers)
        let response = try await client.execute(request, timeout: .seconds(120))
        guard response.status == .ok else { throw Unexpected(what: "\(response.status)") }
        _ = try await response.body.collect(upTo: 1 << 20)
    }

    private static func download(_ url: String, by client: HTTPClient) async throws {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(120))
        var size = 0
        for try await chunk in response.body { size += chunk.readableBytes }
        guard size >= 1 << 20 else { throw Unexpected(what: "\(size) bytes") }
    }

    private static func upload(_ job: Job, by client: HTTPClient) async throws {
        let measurement = try await Measurement.of {
            var request = HTTPClientRequest(url: job.url)
            request.method = .PUT
            let chunk = ByteBuffer(repeating: 7, count: 64 << 10)
            let body = Repeated(chunk: chunk, count: job.calls / chunk.readableBytes)
            request.body = .stream(body, length: .known(Int64(job.calls)))
            let response = try await client.execute(request, timeout: .seconds(120))
            guard response.status == .ok else { throw Unexpected(what: "\(response.status)") }
        }
        measurement.report(calls: 1)
    }
}
