import Foundation
import Measuring
import Sallyport
import SallyportResource
import SallyportTransport

/// Makes resource calls, transfers encrypted bodies, and encrypts and decrypts in memory.
@main
enum ResourceCallsClient {
    static func main() async throws {
        let job = try Job()
        switch job.kind {
        case .get: try await call(job)
        case .download: try await download(job)
        case .upload: try await upload(job)
        case .seal: try await Encryption.seal(job)
        case .open: try await Encryption.open(job)
        case .connect, .hold: throw Unexpected(what: "client-resource has no \(job.kind)")
        }
    }

    // MARK: Resource calls

    /// Makes small calls as an app does.
    private static func call(_ job: Job) async throws {
        let client = try resourceClient(for: job)
        let path = URL(string: job.url)?.path ?? ""
        let request =
            job.options["json"] == nil
            ? ResourceRequestFactory.makeResourceRequest(path: path)
            : ResourceRequestFactory.makeResourceRequest(
                path: path,
                method: .post,
                body: Data(Job.json.utf8),
                headers: ["Content-Type": "application/json"]
            )
        // An unexpected status is an error.
        try await job.measure { _ in _ = try await client.deviceClient.sendUnauthenticatedRequest(request) }
    }

    private static func resourceClient(for job: Job) throws -> ResourceClient {
        let server = try server(of: job)
        var model = ConfigModel(
            appIdentifier: "com.example.benchmarks",
            appVersion: "1.0",
            baseURL: server,
            resourceBaseURL: server
        )
        model.certificates = [try text(of: "ca", job)]
        if job.options["integrity"] == nil { model.integrityChecks = [] }
        if job.options["encrypted"] != nil { model.serverPublicKey = try text(of: "encrypted", job) }
        return try ResourceClient(model, stores: .memory()) { config in configure(&config, for: job) }
    }

    // MARK: Large bodies

    private static func download(_ job: Job) async throws {
        let client = try encryptingClient(for: job)
        try await job.measure { _ in
            let size = try await client.stream { request in
                request.url = job.url
            } handle: { response in
                var size = 0
                for try await chunk in response.bodyStream { size += chunk.count }
                return size
            }
            guard size >= 1 << 20 else { throw Unexpected(what: "\(size) bytes") }
        }
    }

    private static func upload(_ job: Job) async throws {
        let client = try encryptingClient(for: job)
        let chunk = Data(repeating: 7, count: 64 << 10)
        let measurement = try await Measurement.of {
            let response = try await client.request { request in
                request.url = job.url
                request.setMethod(.put)
                let body = Repeated(chunk: chunk, count: job.calls / chunk.count)
                request.body = .stream(BodyStream(body, length: Int64(job.calls)))
            }
            guard response.status.isSuccess() else { throw Unexpected(what: "\(response.status)") }
        }
        measurement.report(calls: 1)
    }

    private static func encryptingClient(for job: Job) throws -> HttpClient {
        let server = try server(of: job)
        let encryption = PayloadEncryption(
            try PayloadServerKey(parsing: text(of: "encrypted", job)),
            for: try OriginSet([server]),
            handshakeURL: server + "/api/v1/payload/handshake"
        )
        return HttpClient.createClient { config in
            configure(&config, for: job)
            config.sealing = [encryption]
        }
    }

    // MARK: Settings

    /// Sets the same values as the client without resource calls, with which this one is compared.
    private static func configure(_ config: inout HttpClientConfiguration, for job: Job) {
        config.timeout = 120
        if let authority = job.authority {
            config.transportConfiguration.security.trustRoots = .file(URL(fileURLWithPath: authority))
        }
        config.httpVersions = .http1
    }

    /// Returns the URL of the server, without a path.
    private static func server(of job: Job) throws -> String {
        guard let url = URL(string: job.url), let host = url.host, let port = url.port else {
            throw Unexpected(what: "the URL \(job.url)")
        }
        return "https://\(host):\(port)"
    }

    /// Returns the content of the file that an option names.
    private static func text(of option: String, _ job: Job) throws -> String {
        guard let file = job.options[option] else { throw Unexpected(what: "no \(option)=FILE") }
        return try String(contentsOfFile: file, encoding: .utf8)
    }
}
