import Foundation
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

@testable import NetworkServiceCompatibility

/// The tests that use the static configuration. They are serialized because they share it.
@Suite(.concurrencyLimited, .serialized) enum SharedConfigurationSuites {}

/// Sets the base URL, an empty token store and folders for transfers and downloads while a closure runs, and then the defaults.
@MainActor
func withBaseURL(_ url: String, _ body: @MainActor () async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
        let documents = folder.appendingPathComponent("documents", isDirectory: true)
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: false)
        let transfers = folder.appendingPathComponent("transfers", isDirectory: true)
        let previous = SharedState.shared.withLock { state in
            defer { state.folders = (transfers, documents) }
            return state.folders
        }
        NetworkServiceConfiguration.baseUrl = url
        OAuthTokenService.store = MemoryTokenStore()
        defer {
            NetworkServiceConfiguration.baseUrl = "http://domain/api"
            NetworkServiceConfiguration.timeoutValue = 10
            NetworkServiceConfiguration.headers = [:]
            NetworkServiceConfiguration.allowsPlainHTTP = false
            NetworkServiceConfiguration.refreshPath = "/auth/refresh"
            NetworkService<RequestConfiguration>().invalidateURLSessions()
            SharedState.shared.withLock { $0.folders = previous }
        }
        try await body()
    }
}

/// Returns the folder for background transfers.
func transferFolder() throws -> URL { try #require(SharedState.shared.withLock { $0.folders }).transfers }

/// Returns the identifiers of the background transfers that are stored.
func storedTransfers() -> [String] {
    let folder = SharedState.shared.withLock { $0.folders }?.transfers
    let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) } ?? []
    return names.filter { $0.hasSuffix(".transfer") }.map { String($0.dropLast(".transfer".count)) }
}

/// Returns the file with a name in the documents directory of the app.
func documentFile(_ name: String) throws -> URL {
    try #require(SharedState.shared.withLock { $0.folders }).documents.appendingPathComponent(name)
}

extension NetworkService {
    /// Makes a call, and returns the arguments of its callback.
    @MainActor
    func outcome(
        _ parameters: [String: Any]? = nil
    ) async -> (response: BaseResponse<T.V>?, error: NetworkServiceErrorInfo?) {
        await withCheckedContinuation { continuation in
            call(requestParams: parameters) { continuation.resume(returning: ($0, $1)) }
        }
    }
}
