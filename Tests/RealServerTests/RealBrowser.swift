import Foundation
import SallyportLoopback
import SallyportOAuth

/// The browser that `.ci/real-servers` has prepared, and the server at which it signs in.
enum RealBrowser {
    /// A command that opens the URL in its last argument and signs in.
    static let command = ProcessInfo.processInfo.environment["SALLYPORT_BROWSER"]

    /// A command that checks the gateway's pages, and fails if one has a layout fault.
    static let pageCheck = ProcessInfo.processInfo.environment["SALLYPORT_PAGE_CHECK"]

    /// A command that checks the pages of a running gateway.
    static let gatewayCheck = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_PAGE_CHECK"]

    /// A command that uses the page of a traffic inspector, and fails if it has a fault.
    static let inspectorCheck = ProcessInfo.processInfo.environment["SALLYPORT_INSPECTOR_CHECK"]

    /// The issuer of Glewlwyd.
    static let issuer = ProcessInfo.processInfo.environment["SALLYPORT_GLEWLWYD"].map { url in
        url.hasSuffix("/api/oidc") ? url : "\(url)/api/oidc"
    }

    /// A run of the browser.
    struct Visit: Sendable {
        private let pipe: String
        private let reader: FileHandle?
        /// The writing end of the pipe, held open until the browser has run, so that reading ends even if it never runs.
        private let ownEnd: FileHandle?
        /// The environment in which `BROWSER` is this browser. Its settings begin with `TEST_BROWSER_`, as the command hides
        /// `SALLYPORT_*` from browsers.
        let environment: [String: String]

        /// - Parameters:
        ///   - name: The folder for screenshots in `SALLYPORT_SCREENSHOTS`.
        ///   - settings: Further settings of `browser-login.py`.
        init(_ name: String, user: String, password: String, settings: [String: String] = [:]) {
            let directory = FileManager.default.temporaryDirectory.path
            pipe = "\(directory)/sallyport-browser-\(UUID().uuidString)"
            mkfifo(pipe, 0o600)
            ownEnd = FileHandle(forUpdatingAtPath: pipe)
            reader = FileHandle(forReadingAtPath: pipe)
            var environment = ProcessInfo.processInfo.environment
            environment["BROWSER"] = RealBrowser.command
            environment["TEST_BROWSER_USER"] = user
            environment["TEST_BROWSER_PASSWORD"] = password
            environment["TEST_BROWSER_LOG"] = pipe
            for (setting, value) in settings { environment["TEST_BROWSER_\(setting)"] = value }
            environment["TEST_BROWSER_PICTURES"] = environment["SALLYPORT_SCREENSHOTS"].map { "\($0)/\(name)" }
            self.environment = environment
        }

        /// Signs in, and returns the callback URL and the browser's log.
        func authorize(
            notify: @escaping @Sendable (BrowserNotice) -> Void = { _ in },
            _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
        ) async -> (returned: Result<String, any Error>, log: String) {
            let agent = SystemBrowser(path: "/cb", timeout: .seconds(60), environment: environment, notify: notify)
            do {
                let response = try await agent.authorize(makeRequest)
                return (.success(response.url), await log())
            } catch {
                return (.failure(error), await log())
            }
        }

        /// Opens a page that does not redirect to the client.
        ///
        /// - Returns: The browser's log.
        func open(_ url: String) async throws -> String {
            let words = (RealBrowser.command ?? "").split(separator: " ").map(String.init)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: words.first ?? "")
            process.arguments = words.dropFirst() + [url]
            process.environment = environment
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in continuation.resume() }
                do { try process.start() } catch { continuation.resume(throwing: error) }
            }
            return await log()
        }

        /// Returns the browser's log when the browser has ended.
        func log() async -> String {
            try? ownEnd?.close()
            return await withCheckedContinuation { continuation in
                DispatchQueue(label: "test.blocking").async {
                    let bytes = try? reader?.readToEnd()
                    try? FileManager.default.removeItem(atPath: pipe)
                    continuation.resume(returning: String(decoding: bytes ?? Data(), as: UTF8.self))
                }
            }
        }
    }
}

/// A member of a JSON object; values other than strings are ignored.
struct JsonText: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
    }
}
