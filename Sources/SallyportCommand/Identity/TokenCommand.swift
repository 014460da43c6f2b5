import ArgumentParser
import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth

/// Prints a valid token.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Prints the access token of a profile, refreshed if it is about to expire.",
        discussion: """
            The token is a secret. With --decode, the command prints its header, its claims, and the result of verifying its \
            signature with the server's keys.
            """
    )

    @Flag(help: "Print the contents of the token instead of the token.")
    var decode = false

    @Flag(help: "Use the id_token instead of the access token.")
    var idToken = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, decode, idToken) = (try profile.name(), decode, idToken)
        try await Interruption.cancelOnSignal {
            let session = try ProfileSession.load(name)
            let tokens = try await session.tokens()
            guard let token = idToken ? tokens.idToken : tokens.accessToken else {
                throw CommandFailure(.other, "this login has no id_token; request one with --scope openid")
            }
            let text = decode ? try await TokenReport(token, session.client.server).text() : token
            let output = try ResponseOutput(path: nil)
            try await output.write(Data((text + "\n").utf8))
            try await output.finish()
        }
    }
}

/// The contents of a token, and the result of verifying its signature.
struct TokenReport {
    private let token: JsonWebSignature
    private let server: OAuthServer

    /// - Throws: A failure for a token that is not a JWT.
    init(_ text: String, _ server: OAuthServer) throws(CommandFailure) {
        do {
            token = try JsonWebSignature(parsing: text)
        } catch {
            throw CommandFailure(
                .badEncoding,
                "the token is not a JWT (\(error)), so only the server can read it; use sallyport introspect"
            )
        }
        self.server = server
    }

    func text() async throws -> String {
        let claims = try token.claims()
        let contents = JsonValue.object(["header": .object(token.header), "claims": .object(claims)])
        let lines = [
            try TokenText.json(contents), TokenText.times(in: claims).joined(separator: ", "), await signature(),
        ]
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func signature() async -> String {
        guard let algorithm = token.algorithm else { return "signature: missing or of an unknown algorithm" }
        do {
            let keys = try await server.keys(including: token.keyID).keys
            for key in keys where token.keyID == nil || key.keyID == token.keyID {
                if (try? token.verify(with: key, allowing: [algorithm])) != nil {
                    let name = key.keyID.map { VisibleText.line($0, longest: 200) }
                    return "signature: valid, by the server's key \(name ?? "without an identifier")"
                }
            }
            return "signature: INVALID, none of the server's keys verifies it"
        } catch {
            return "signature: not verified (\(VisibleText.line("\(error)")))"
        }
    }
}

/// Formats tokens and claims for display.
enum TokenText {
    /// Returns the claims of a JWT without verifying it; `nil` for any other token.
    static func claims(of token: String) -> [String: JsonValue]? {
        (try? JsonWebSignature(parsing: token)).flatMap { try? $0.claims() }
    }

    /// Returns the name of a user from claims.
    static func userName(_ claims: [String: JsonValue]) -> String? {
        ["preferred_username", "name", "email", "sub"].lazy.compactMap { claims[$0]?.string }.first { !$0.isEmpty }
            .map { VisibleText.line($0, longest: 200) }
    }

    /// Returns indented JSON, with control characters escaped as in JSON.
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return VisibleText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Returns descriptions of the times in claims.
    static func times(in claims: [String: JsonValue]) -> [String] {
        let words = [("iat", "issued"), ("auth_time", "signed in"), ("nbf", "valid from"), ("exp", "ends")]
        return words.compactMap { name, word in
            claims[name]?.number.map { "\(word) \(Date(timeIntervalSince1970: $0).formatted(.iso8601))" }
        }
    }
}

/// Refreshes the tokens of a profile, even if they are still valid.
struct RefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Refreshes the tokens of a profile now. Requests with --auth do this when necessary."
    )

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let name = try profile.name()
        try await Interruption.cancelOnSignal {
            let tokens = try await ProfileSession.load(name).refresh()
            let end = tokens.expiresAt.map { ", valid until \($0.formatted(.iso8601))" } ?? ""
            StandardError.print("The profile \(name) has new tokens\(end).")
        }
    }
}
