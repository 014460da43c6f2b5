import Foundation
import Sallyport
import SallyportOAuth

/// Checks a server, and the tokens of a profile if there is one.
struct Doctor: Sendable {
    let issuer: String
    let httpClient: HttpClient
    /// The server with the metadata that it publishes, even if logins use configured endpoints.
    let server: OAuthServer
    let session: ProfileSession?
    let audience: String?

    /// Runs all checks and returns their findings. If the server cannot be reached, the remaining checks are skipped.
    func findings() async throws -> [Finding] {
        var findings: [Finding] = []
        do {
            let metadata = try await server.metadata()
            findings.append(.good("\(issuer) publishes its metadata under this issuer."))
            findings.append(try await clock())
            findings += MetadataChecks.findings(metadata, session?.profile)
            if metadata.jwksURI != nil { findings += await keys() }
        } catch let error as NetworkError {
            let reason = "\(issuer) cannot be reached: \(error.failure.reason)"
            return findings + [.problem(reason.sentence, advice(error.failure.advice ?? "check the URL"))]
        } catch let error as OAuthError {
            let reason = error.failure.reason.sentence
            guard session?.profile.flow == .journey else {
                let standard = "check that the URL is exactly the server's issuer identifier"
                return findings + [.problem(reason, advice(error.failure.advice ?? standard))]
            }
            findings.append(
                .warning(reason, "Logins with a tree do not need the metadata: they call PingAM's standard endpoints.")
            )
        }
        return findings + (await tokens())
    }

    /// Returns the SDK's advice as a sentence about options. A profile uses the authorities of its login.
    private func advice(_ text: String) -> String {
        let advice = SettingAdvice.inOptions(text)
        return (session == nil ? advice : advice.replacing("with --cacert", with: "with sallyport login --cacert"))
            .sentence
    }

    private func keys() async -> [Finding] {
        do {
            return KeyChecks.findings(try await server.keys())
        } catch {
            return [.problem("The server's keys cannot be read: \(error)", "Its id_tokens cannot be verified.")]
        }
    }

    private func clock() async throws -> Finding {
        let response = try await httpClient.request { request in
            request.url =
                (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
            request.action = Action(.discover)
        }
        return ClockCheck.finding(serverDate: response.getHeader(name: "Date"), now: Date())
    }

    private func tokens() async -> [Finding] {
        guard let session else { return [] }
        do {
            guard let tokens = try await session.session.current() else {
                return [.warning("Nobody is logged in with the profile \(session.name).", "sallyport login")]
            }
            return TokenChecks.findings(tokens, session.profile, audience: audience, now: Date())
                + [.good("Only you can read the tokens.")]
        } catch {
            let advice =
                if case .store(let reason) = error, reason.reason == .key {
                    "To use them, " + OAuthSessionError.keyAdvice
                } else if case .store(let reason) = error, !reason.needsReplacement {
                    "Solve this first: a new login would replace tokens that may be valid."
                } else {
                    "Log in again to replace them."
                }
            return [.problem("The tokens cannot be read: \(error)", advice)]
        }
    }
}

extension String {
    /// The text as a sentence with a capital letter and a full stop. A URL at the beginning is unchanged.
    fileprivate var sentence: String {
        let start = hasPrefix("http") ? String(prefix(1)) : prefix(1).uppercased()
        return start + dropFirst() + (hasSuffix("?") || hasSuffix(".") ? "" : ".")
    }
}

/// The result of one check.
struct Finding: Sendable, Equatable {
    /// The severity of a finding.
    enum Level: String, Sendable {
        case good = "✓"
        case warning = "!"
        case problem = "✗"
    }

    let level: Level
    /// A description of the result.
    let text: String
    /// The recommended action.
    var advice: String?

    static func good(_ text: String) -> Finding { Finding(level: .good, text: text) }

    static func warning(_ text: String, _ advice: String) -> Finding {
        Finding(level: .warning, text: text, advice: advice)
    }

    static func problem(_ text: String, _ advice: String) -> Finding {
        Finding(level: .problem, text: text, advice: advice)
    }

    /// The finding for a terminal. Control characters, which may come from a server, are escaped.
    var line: String {
        let line = SettingAdvice.inOptions("\(level.rawValue) \(text)" + (advice.map { "\n    \($0)" } ?? ""))
        return VisibleText.lines(line)
    }
}

extension Finding: Encodable {
    private enum CodingKeys: CodingKey {
        case level, text, advice
    }

    /// Encodes the finding as `doctor --json` prints it.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode("\(level)", forKey: .level)
        try values.encode(SettingAdvice.inOptions(text), forKey: .text)
        try values.encodeIfPresent(advice.map(SettingAdvice.inOptions), forKey: .advice)
    }
}
