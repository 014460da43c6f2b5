import Foundation
import SallyportJOSE

/// Registers an authenticator app for push messages, and waits until the app has done so.
struct RegisterPushNode: JourneyNode {
    let outcomes = ["success", "timeout"]
    private let wait: Int
    private let timeout: TimeInterval

    init(_ members: inout NodeMembers) throws(GatewayError) {
        wait = try members.integer("wait", in: 1...60_000, default: 2000)
        timeout = TimeInterval(try members.integer("timeout", in: 1...3600, default: 120))
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let username = state.username, services.accounts.user(named: username) != nil else { throw .failed() }
        let end = services.context.now + timeout
        let (id, uri) = services.push.offer(to: username, until: end)
        state.notes = ["id": .string(id), "uri": .string(uri), "end": .number(end.timeIntervalSince1970)]
        return .ask(page(uri))
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        if services.push.isCompleted(state.notes["id"]?.string ?? "") { return .outcome("success") }
        guard services.context.now.timeIntervalSince1970 < state.notes["end"]?.number ?? 0 else {
            state.problem = "No app was registered in time."
            return .outcome("timeout")
        }
        return .ask(page(state.notes["uri"]?.string ?? ""))
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
    private let message: String
    private let kind: PushContent.Kind
    private let wait: Int
    private let timeout: TimeInterval

    init(_ members: inout NodeMembers) throws(GatewayError) {
        message = try members.text("message", default: "Do you want to sign in to Sallyport?")
        kind = .init(rawValue: try members.choice("kind", of: PushContent.Kind.allCases.map(\.rawValue))) ?? .default
        wait = try members.integer("wait", in: 1...60_000, default: 2000)
        timeout = TimeInterval(try members.integer("timeout", in: 1...3600, default: 120))
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        let content = PushContent(text: message, kind: kind, payload: nil)
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
