import Foundation
import Sallyport
import SallyportOAuth

/// Looks at a server, and at a profile's tokens if there is one, from the outside in.
struct Doctor: Sendable {
    let issuer: String
    let httpClient: HttpClient
    let server: OAuthServer
    let session: ProfileSession?
    let audience: String?

    /// Everything that was looked at; what cannot be reached ends it.
    func findings() async throws -> [Finding] {
        var findings: [Finding] = []
        do {
            let metadata = try await server.metadata()
            findings.append(.good("\(issuer) publishes its metadata, and names itself so."))
            findings.append(try await clock())
            findings += MetadataChecks.findings(metadata, session?.profile)
            if metadata.jwksURI != nil { findings += await keys() }
        } catch let error as NetworkError {
            let reason = "\(issuer) cannot be reached: \(error.failure.reason)"
            return findings + [.problem(reason.sentence, (error.failure.advice ?? "check the URL").sentence)]
        } catch let error as OAuthError {
            let advice = error.failure.advice ?? "is this the issuer's URL, to the letter?"
            return findings + [.problem(error.failure.reason.sentence, advice.sentence)]
        }
        return findings + (await tokens())
    }

    private func keys() async -> [Finding] {
        do {
            return KeyChecks.findings(try await server.keys())
        } catch {
            return [.problem("The server's keys cannot be read: \(error)", "No id_token of it can be verified.")]
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
                + [.good("The tokens are where only you can read them.")]
        } catch {
            return [.problem("The tokens cannot be read: \(error)", "Log in again to replace them.")]
        }
    }
}

extension String {
    /// The words of an error as a sentence of their own; a URL at its beginning stays as it is.
    fileprivate var sentence: String {
        let start = hasPrefix("http") ? String(prefix(1)) : prefix(1).uppercased()
        return start + dropFirst() + (hasSuffix("?") || hasSuffix(".") ? "" : ".")
    }
}
