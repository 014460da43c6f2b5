import Foundation
import Sallyport
import SallyportOAuth

/// The failure with which a tree has ended, as the server describes it.
///
/// ```swift
/// case .failure(let failure) where failure.kind == .expired: step = try await journey.start("Login")
/// ```
public struct JourneyFailure: Error, Sendable, Hashable {
    /// The kind of a failure.
    public enum Kind: Sendable, Hashable {
        /// The answers were wrong (status 401), such as an invalid password.
        case wrongAnswer
        /// The time for the tree is over (error code 110). Start it again.
        case expired
        /// The link of a suspended tree has expired or was used before. Start the tree again.
        case expiredSuspension
        /// The account is locked.
        case lockedAccount
        /// The server failed, or has too many requests (status 408, 429, or 500 to 599). The node can be sent again later.
        case server
        /// The server refused the request for another reason, for example because the tree does not exist, or because an answer does not
        /// match the node, which can then be sent again with another answer.
        case refused
    }

    /// The kind of the failure.
    public let kind: Kind

    /// The code in the response, or else its status.
    public let code: Int

    /// The reason, such as `Unauthorized`.
    public let reason: String

    /// The message for the user, in the language of the server.
    public let message: String

    /// Further details of the server; `nil` if there are none.
    public let detail: JsonDocument?

    /// Creates a failure from a response.
    ///
    /// - Parameters:
    ///   - status: The status of the response, which is not successful.
    ///   - body: The JSON object in the body, if there is one.
    ///   - answers: The texts of the answers that were sent, which are masked if the server repeats them.
    init(status: Int, body: JsonDocument?, answers: [String] = []) {
        func masked(_ name: String) -> String {
            // Shorter texts are parts of ordinary words.
            answers.filter { $0.utf8.count >= 6 }
                .reduce(body?[.member(name)]?.string ?? "") { $0.replacing($1, with: Redaction.mask) }
        }
        code = body?["code"].flatMap { $0.number ?? $0.string }.flatMap { Int($0) } ?? status
        reason = masked("reason")
        message = masked("message")
        detail = body?["detail"].flatMap { $0.isNull ? nil : $0 }
        let errorCode = body?["detail", "errorCode"].flatMap { $0.string ?? $0.number }
        kind =
            if Self.isTemporary(status) {
                .server
            } else if errorCode == "110" {
                .expired
            } else if message.contains("SuspendedAuthSessionException") {
                .expiredSuspension
            } else if message.contains(/(?i)\b(user|account|is|was|been) locked\b/) {
                // PingAM has no code for it: its message is "User Locked Out." A warning, "You will be locked out", is a wrong answer.
                .lockedAccount
            } else {
                status == 401 ? .wrongAnswer : .refused
            }
    }

    /// Returns a Boolean value that indicates whether the same request may succeed later.
    static func isTemporary(_ status: Int) -> Bool { status >= 500 || status == 408 || status == 429 }
}

extension JourneyFailure {
    /// The URL of the page that the tree selects for its failure; `nil` if there is none.
    public var failureURL: String? { detail?["failureUrl"]?.string }

    /// The server's code for the failure, such as `110`; `nil` if there is none.
    public var errorCode: String? { detail?["errorCode"].flatMap { $0.string ?? $0.number } }
}

extension JourneyFailure: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// The message and the code, in a form that is safe to show.
    public var description: String {
        let text = [message, reason].first { !$0.isEmpty }.map { "\"\(SanitizedText.make(from: $0))\", " } ?? ""
        return "\(summary) (\(text)code \(code))\(advice)"
    }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The same as ``description``, without the details.
    public var customMirror: Mirror { Mirror(self, children: ["failure": description], displayStyle: .struct) }

    private var summary: String {
        switch kind {
        case .wrongAnswer: "the sign-in failed"
        case .expired: "the time for the sign-in is over"
        case .expiredSuspension: "the link has expired or was used before"
        case .lockedAccount: "the account is locked"
        case .server: "the server failed"
        case .refused: "the server refused the sign-in"
        }
    }

    private var advice: String {
        switch kind {
        case .expired, .expiredSuspension: "; start the sign-in again"
        case .server: "; try again later"
        case .lockedAccount: "; wait, or ask the operator of the server to unlock it"
        case .refused: "; check the answers, the tree, the realm and the base URL"
        case .wrongAnswer: ""
        }
    }
}
