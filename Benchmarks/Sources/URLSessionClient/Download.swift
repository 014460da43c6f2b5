import Foundation
import Measuring
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A download whose chunks are counted and discarded.
final class Download: NSObject, URLSessionDataDelegate {
    private let size = Atomic(0)
    private let finished: CheckedContinuation<Void, any Error>

    private init(_ finished: CheckedContinuation<Void, any Error>) { self.finished = finished }

    static func run(_ url: String, _ configuration: URLSessionConfiguration) async throws {
        guard let url = URL(string: url) else { throw Unexpected(what: url) }
        try await withCheckedThrowingContinuation { continuation in
            let session = URLSession(
                configuration: configuration,
                delegate: Download(continuation),
                delegateQueue: nil
            )
            session.dataTask(with: url).resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        size.add(data.count, ordering: .relaxed)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let size = size.load(ordering: .relaxed)
        let problem = error ?? (size < 1 << 20 ? Unexpected(what: "\(size) bytes") : nil)
        finished.resume(with: problem.map(Result.failure) ?? .success(()))
        session.invalidateAndCancel()
    }
}
