import Foundation
import Measuring

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Foundation's URLSession. On Linux it cannot stream uploads or trust authorities other than the system's. It therefore takes
/// no part in the upload and TLS cases.
@main
enum URLSessionClient {
    static func main() async throws {
        let job = try Job()
        switch job.kind {
        case .get, .hold:
            let session = URLSession(configuration: configuration(for: job))
            try await job.measure { try await get(job.url(at: $0), by: session) }
        case .download: try await job.measure { _ in try await Download.run(job.url, configuration(for: job)) }
        case .connect, .upload, .seal, .open: throw Unexpected(what: "URLSession has no \(job.kind) here")
        }
    }

    private static func configuration(for job: Job) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = max(job.tasks, 6)
        configuration.timeoutIntervalForRequest = 120
        return configuration
    }

    private static func get(_ url: String, by session: URLSession) async throws {
        guard let url = URL(string: url) else { throw Unexpected(what: url) }
        let (_, response) = try await session.data(from: url)
        guard let status = (response as? HTTPURLResponse)?.statusCode, status == 200 else {
            throw Unexpected(what: "\(response)")
        }
    }
}
