import Foundation
import SallyportJOSE

/// Registers an authenticator app for push messages, and optionally for one-time passwords, and waits until the app has done so.
struct RegisterPushNode: JourneyNode {
    let outcomes = ["success", "timeout"]
    private let wait: Int
    private let timeout: TimeInterval
    /// A Boolean value that indicates whether the app also registers a generator of one-time passwords (`mfauth`).
    private let isCombined: Bool

    init(_ members: inout NodeMembers) throws(GatewayError) {
        wait = try members.integer("wait", in: 1...60_000, default: 2000)
        timeout = TimeInterval(try members.integer("timeout", in: 1...3600, default: 600))
        isCombined = try members.bool("combined", default: false)
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let username = state.username, services.accounts.user(named: username) != nil else { throw .failed() }
        let end = services.context.now + timeout
        let secret = Secret.bytes()
        let (id, uri) = services.push.offer(to: username, until: end, with: isCombined ? Self.generator(secret) : nil)
        state.notes = [
            "id": .string(id), "uri": .string(uri), "end": .number(end.timeIntervalSince1970),
            "secret": .string(secret.base64EncodedString()),
        ]
        return .ask(page(uri))
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        if services.push.isCompleted(state.notes["id"]?.string ?? "") {
            if isCombined, let username = state.username,
                let secret = Data(base64Encoded: state.notes["secret"]?.string ?? "")
            {
                services.oneTimePasswords.register(Self.generator(secret), of: username)
            }
            return .outcome("success")
        }
        guard services.context.now.timeIntervalSince1970 < state.notes["end"]?.number ?? 0 else {
            state.problem = "No app was registered in time."
            return .outcome("timeout")
        }
        return .ask(page(state.notes["uri"]?.string ?? ""))
    }

    private static func generator(_ secret: Data) -> OneTimePasswordDevices.Generator {
        OneTimePasswordDevices.Generator(
            password: OneTimePasswordSecret(secret: secret, algorithm: .sha1, digits: 6),
            kind: .totp,
            period: 30
        )
    }

    private func page(_ uri: String) -> JourneyPage {
        JourneyPage([
            .message("Add this account to your authenticator app."),
            .hidden("mfaDeviceRegistration", value: uri),
            .wait(wait, message: "Waiting for the app"),
        ])
    }
}

/// Sends a push message, and waits for the decision of the user.
struct PushNode: JourneyNode {
    let outcomes = ["approved", "denied", "timeout", "not-registered"]
    private let content: PushContent
    private let wait: Int
    private let timeout: TimeInterval

    init(_ members: inout NodeMembers) throws(GatewayError) {
        let kinds = PushContent.Kind.allCases.map(\.rawValue)
        content = PushContent(
            text: try members.text("message", default: "Do you want to sign in to Sallyport?"),
            kind: .init(rawValue: try members.choice("kind", of: kinds)) ?? .default,
            payload: try members.optionalText("payload"),
            context: try members.optionalText("context")
        )
        wait = try members.integer("wait", in: 1...60_000, default: 2000)
        timeout = TimeInterval(try members.integer("timeout", in: 1...3600, default: 600))
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let username = state.username,
            let (id, number) = try await services.push.send(content, to: username, lifetime: timeout)
        else { return .outcome("not-registered") }
        state.notes["id"] = .string(id)
        state.notes["number"] = number.map { .integer(Int64($0)) }
        return .ask(page(state))
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        let id = state.notes["id"]?.string ?? ""
        switch services.push.decision(id) {
        case .pending: return .ask(page(state))
        case .approved:
            state.add(method: "pop")
            // An approval is used once.
            services.push.cancel(id)
            return .outcome("approved")
        case .denied:
            state.problem = "The user denied the push message."
            return .outcome("denied")
        case .wrongNumber:
            state.problem = "The user selected a wrong number."
            return .outcome("denied")
        case .expired:
            state.problem = "The push message was not answered in time."
            return .outcome("timeout")
        }
    }

    private func page(_ state: JourneyState) -> JourneyPage {
        var callbacks = [JourneyCallback.wait(wait, message: "Waiting for your answer in the authenticator app")]
        if let number = state.notes["number"]?.integer {
            callbacks.insert(.message("Select the number \(number) in the authenticator app."), at: 0)
            callbacks.append(.hidden("pushChallengeNumber", value: "\(number)"))
        }
        return JourneyPage(callbacks)
    }
}
