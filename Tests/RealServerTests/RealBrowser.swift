import Foundation
import SallyportLoopback
import SallyportOAuth

/// The browser that `.ci/real-servers` has made ready, and where it signs in.
enum RealBrowser {
    /// A command that opens the URL that is its last argument, and signs in by itself.
    static let command = ProcessInfo.processInfo.environment["SALLYPORT_BROWSER"]

    /// A command that looks at the gateway's pages, and ends with a status other than 0 where one has a fault.
    static let pageCheck = ProcessInfo.processInfo.environment["SALLYPORT_PAGE_CHECK"]

    /// A command that walks through the pages of a running gateway, and looks at them so.
    static let gatewayCheck = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_PAGE_CHECK"]

    /// The issuer of Glewlwyd.
    static let issuer = ProcessInfo.processInfo.environment["SALLYPORT_GLEWLWYD"].map { url in
        url.hasSuffix("/api/oidc") ? url : "\(url)/api/oidc"
    }

    /// One opening of the browser.
    struct Visit: Sendable {
        private let pipe: String
        private let reader: FileHandle?
        /// Open until the browser has been, so that reading ends if it has never been.
        private let ownEnd: FileHandle?
        /// The environment that makes this browser the person's own.
        let environment: [String: String]

        /// - Parameters:
        ///   - name: The folder for its pictures, in that of SALLYPORT_SCREENSHOTS.
        ///   - settings: What else the person does; see `browser-login.py`.
        init(_ name: String, user: String, password: String, settings: [String: String] = [:]) {
            let directory = FileManager.default.temporaryDirectory.path
            pipe = "\(directory)/sallyport-browser-\(UUID().uuidString)"
            mkfifo(pipe, 0o600)
            ownEnd = FileHandle(forUpdatingAtPath: pipe)
            reader = FileHandle(forReadingAtPath: pipe)
            var environment = ProcessInfo.processInfo.environment
            environment["BROWSER"] = RealBrowser.command
            environment["SALLYPORT_BROWSER_USER"] = user
            environment["SALLYPORT_BROWSER_PASSWORD"] = password
            environment["SALLYPORT_BROWSER_LOG"] = pipe
            for (setting, value) in settings { environment["SALLYPORT_BROWSER_\(setting)"] = value }
            environment["SALLYPORT_BROWSER_PICTURES"] = environment["SALLYPORT_SCREENSHOTS"].map { "\($0)/\(name)" }
            self.environment = environment
        }

        /// Has somebody sign in, and gives what they came back with and, when the browser has ended, what it did.
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

        /// Opens a page that nobody comes back from.
        ///
        /// - Returns: What the browser did there.
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
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            return await log()
        }

        /// What the browser has done, once it has ended.
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

/// A member of a JSON object, of which only texts are of interest.
struct JsonText: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
    }
}
