import Foundation
import SallyportJOSE

/// Registers an app that generates one-time passwords, once the user has confirmed the page with the secret.
struct RegisterOneTimePasswordNode: JourneyNode {
    private let kind: OneTimePasswordDevices.Kind
    private let algorithm: OneTimePasswordSecret.Algorithm
    private let digits: Int
    private let period: Int

    init(_ members: inout NodeMembers) throws(GatewayError) {
        let kinds = OneTimePasswordDevices.Kind.allCases
        kind = .init(rawValue: try members.choice("kind", of: kinds.map(\.rawValue))) ?? .totp
        let algorithms = OneTimePasswordSecret.Algorithm.allCases
        algorithm = .init(rawValue: try members.choice("algorithm", of: algorithms.map(\.rawValue))) ?? .sha1
        digits = try members.integer("digits", in: 6...8, default: 6)
        period = try members.integer("period", in: 1...300, default: 30)
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let username = state.username, services.accounts.user(named: username) != nil else { throw .failed() }
        let secret = Secret.bytes()
        state.notes["secret"] = .string(secret.base64EncodedString())
        let uri = generator(secret).uri(of: username)
        return .ask(
            JourneyPage([
                .message("Add this account to the app that generates your codes."),
                .hidden("mfaDeviceRegistration", value: uri),
                .confirmation(["Next"]),
            ])
        )
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let username = state.username, let secret = Data(base64Encoded: state.notes["secret"]?.string ?? "")
        else { throw .failed() }
        services.oneTimePasswords.register(generator(secret), of: username)
        return .next
    }

    private func generator(_ secret: Data) -> OneTimePasswordDevices.Generator {
        OneTimePasswordDevices.Generator(
            password: OneTimePasswordSecret(secret: secret, algorithm: algorithm, digits: digits),
            kind: kind,
            period: period
        )
    }
}

/// Asks for a one-time password.
struct OneTimePasswordNode: JourneyNode {
    let outcomes = ["true", "false", "not-registered"]
    private let prompt: String

    init(_ members: inout NodeMembers) throws(GatewayError) {
        prompt = try members.text("prompt", default: "One Time Password")
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let username = state.username, services.oneTimePasswords.isRegistered(username) else {
            return .outcome("not-registered")
        }
        return .ask(
            JourneyPage([
                JourneyCallback(
                    "PasswordCallback",
                    [("prompt", .string(prompt))],
                    [.text(maximum: 16, isRequired: true)]
                )
            ])
        )
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard try services.oneTimePasswords.redeem(answers[0].text(), of: state.username ?? "") else {
            state.problem = "The one-time password is wrong, has expired, or was used before."
            return .outcome("false")
        }
        state.add(method: "otp")
        return .outcome("true")
    }
}
