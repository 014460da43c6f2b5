import Foundation
import NetworkServiceCompatibility
import SallyportOAuth
import TestSupport
import Testing

/// The tests that use the static configuration. They are serialized because they share it.
@Suite(.concurrencyLimited, .serialized) enum SharedConfigurationSuites {}

/// Sets the base URL and an empty token store while a closure runs, and then the defaults.
@MainActor
func withBaseURL(_ url: String, _ body: @MainActor () async throws -> Void) async throws {
    NetworkServiceConfiguration.baseUrl = url
    OAuthTokenService.store = MemoryTokenStore()
    defer {
        NetworkServiceConfiguration.baseUrl = "http://domain/api"
        NetworkServiceConfiguration.timeoutValue = 10
        NetworkServiceConfiguration.headers = [:]
        NetworkServiceConfiguration.refreshPath = "/auth/refresh"
        NetworkService<RequestConfiguration>().invalidateURLSessions()
    }
    try await body()
}

/// Returns the folder in which a background upload or download is stored until it has ended.
func backgroundFolder(of identifier: String) throws -> URL {
    try FileManager.default
        .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        .appendingPathComponent("com.networkservice.api/transfers/com.networkservice.api.\(identifier).transfer")
}

/// Returns the file with a name in the documents directory of the app.
func documentFile(_ name: String) throws -> URL {
    try FileManager.default
        .url(for: .documentDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        .appendingPathComponent(name)
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
