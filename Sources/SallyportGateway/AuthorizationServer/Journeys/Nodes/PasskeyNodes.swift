import Foundation
import SallyportJOSE

/// The members that both passkey nodes have.
private struct PasskeySettings: Sendable {
    private let relyingParty: String?
    private let origins: [String]
    let userVerification: String
    let timeout: Int

    init(_ members: inout NodeMembers) throws(GatewayError) {
        relyingParty = try members.optionalText("relying-party")
        origins = try members.texts("origins", default: [])
        userVerification = try members.choice("user-verification", of: ["preferred", "required", "discouraged"])
        timeout = try members.integer("timeout", in: 1000...600_000, default: 60_000)
    }

    /// Returns a ceremony with a challenge. Without settings, the relying party is the host of the server's issuer, and the origins are the
    /// issuer's origin and the origins of apps of the domain.
    func ceremony(_ challenge: Data, _ context: ServerContext) -> PasskeyCeremony {
        let relyingParty = relyingParty ?? URLComponents(string: context.issuer)?.host ?? "localhost"
        let origin = context.issuer.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(
            separator: "/"
        )
        return PasskeyCeremony(
            challenge: challenge,
            relyingParty: relyingParty,
            origins: ([origin, "https://\(relyingParty)"] + origins).uniqued,
            needsUserVerification: userVerification == "required"
        )
    }

    /// Returns a page with the options of a ceremony, and the hidden value for the response.
    func page(_ options: [String: JsonValue], _ ceremony: PasskeyCeremony) -> JourneyPage {
        var data = options
        data["_type"] = "WebAuthn"
        data["challenge"] = .string(ceremony.challenge.base64EncodedString())
        data["timeout"] = .string("\(timeout)")
        data["_relyingPartyId"] = .string(ceremony.relyingParty)
        return JourneyPage([
            JourneyCallback("MetadataCallback", [("data", .object(data))]),
            .hidden("webAuthnOutcome", value: "false", maximum: 64 * 1024),
        ])
    }
}

/// Registers a passkey of the user.
struct RegisterPasskeyNode: JourneyNode {
    let outcomes = ["success", "failure", "error", "unsupported"]
    private let settings: PasskeySettings

    init(_ members: inout NodeMembers) throws(GatewayError) {
        settings = try PasskeySettings(&members)
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let username = state.username, services.accounts.user(named: username) != nil else { throw .failed() }
        let ceremony = settings.ceremony(state.newChallenge(), services.context)
        let known = services.passkeys.identifiers(of: username)
        let selection: [String: JsonValue] = [
            "userVerification": .string(settings.userVerification), "residentKey": "required",
            "requireResidentKey": true,
        ]
        let options: [String: JsonValue] = [
            "_action": "webauthn_registration",
            "attestationPreference": "none",
            "userName": .string(username),
            "displayName": .string(username),
            "userId": .string(services.passkeys.handle(of: username)),
            "relyingPartyName": "Sallyport",
            "_authenticatorSelection": .object(selection),
            "_pubKeyCredParams": [["type": "public-key", "alg": -7]],
            "_excludeCredentials": .array(known.map(\.descriptor)),
        ]
        return .ask(settings.page(options, ceremony))
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        let response = PasskeyResponse(answers[1].text())
        if let outcome = response.problemOutcome(&state) { return .outcome(outcome) }
        do throws(PasskeyProblem) {
            guard let username = state.username else { throw PasskeyProblem("The tree has not identified the user.") }
            let ceremony = settings.ceremony(state.challenge, services.context)
            let attestation = try response.bytes(1, "attestation object")
            let (credential, counter) = try ceremony.register(clientData: response.clientData, attestation: attestation)
            guard response.credentialID(2) == credential.id else {
                throw PasskeyProblem("The identifier of the credential differs from that in the attestation object.")
            }
            let passkey = Passkeys.Passkey(username: username, key: credential.key, counter: counter)
            guard services.passkeys.add(passkey, id: credential.id) else {
                throw PasskeyProblem("The passkey is registered already, or the user has too many.")
            }
            return .outcome("success")
        } catch {
            state.problem = error.text
            return .outcome("failure")
        }
    }
}

/// Signs the user in with a passkey.
///
/// If the tree has not asked for a name, the passkey identifies the user.
struct PasskeyNode: JourneyNode {
    let outcomes = ["success", "failure", "error", "unsupported", "no-device"]
    private let settings: PasskeySettings

    init(_ members: inout NodeMembers) throws(GatewayError) {
        settings = try PasskeySettings(&members)
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        let known = state.username.map(services.passkeys.identifiers) ?? []
        guard state.username == nil || !known.isEmpty else { return .outcome("no-device") }
        let ceremony = settings.ceremony(state.newChallenge(), services.context)
        let options: [String: JsonValue] = [
            "_action": "webauthn_authentication",
            "userVerification": .string(settings.userVerification),
            "_allowCredentials": .array(known.map(\.descriptor)),
        ]
        return .ask(settings.page(options, ceremony))
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        let response = PasskeyResponse(answers[1].text())
        if let outcome = response.problemOutcome(&state) { return .outcome(outcome) }
        do throws(PasskeyProblem) {
            guard let id = response.credentialID(3), let passkey = services.passkeys.passkey(id),
                state.username.map({ $0 == passkey.username }) ?? true
            else { throw PasskeyProblem("The passkey is unknown, or belongs to another user.") }
            let handle = response.text(4)
            guard handle.isEmpty ? state.username != nil : handle == services.passkeys.handle(of: passkey.username)
            else {
                throw PasskeyProblem("The user handle is not that of the passkey's user.")
            }
            let counter = try settings.ceremony(state.challenge, services.context).authenticate(
                clientData: response.clientData,
                authenticatorData: try response.bytes(1, "authenticator data"),
                signature: try response.bytes(2, "signature"),
                key: passkey.key,
                counter: passkey.counter
            )
            services.passkeys.setCounter(counter, of: id)
            state.username = passkey.username
            state.add(method: "pop")
            return .outcome("success")
        } catch {
            state.problem = error.text
            return .outcome("failure")
        }
    }
}

/// The response of an authenticator in the format of the Ping SDKs: parts separated by `::`, and bytes as signed decimal numbers separated by
/// commas. It may be the member `legacyData` of a JSON object.
private struct PasskeyResponse {
    private let parts: [String]

    init(_ text: String) {
        let object = [String: JsonValue](json: Data(text.utf8))
        let text = object?["legacyData"]?.string ?? text
        // The client data can contain colons, for example in an IPv6 address. It is a JSON object.
        if text.hasPrefix("{"), let end = text.firstRange(of: "}::") {
            parts = [text[..<end.lowerBound] + "}"] + text[end.upperBound...].components(separatedBy: "::")
        } else {
            parts = text.components(separatedBy: "::")
        }
    }

    /// The client data, in exactly the bytes that were signed.
    var clientData: Data { Data(text(0).utf8) }

    /// Returns the identifier of the credential in a part.
    func credentialID(_ index: Int) -> Data? { Base64Url.decode(text(index)) }

    /// Returns the outcome if the authenticator has reported a problem instead of a response.
    func problemOutcome(_ state: inout JourneyState) -> String? {
        if parts[0] == "unsupported" { return "unsupported" }
        guard parts[0] == "ERROR" else { return nil }
        state.problem = "The authenticator reported: \(text(1).prefix(200))"
        return "error"
    }

    func text(_ index: Int) -> String { parts.indices.contains(index) ? parts[index] : "" }

    func bytes(_ index: Int, _ name: String) throws(PasskeyProblem) -> Data {
        let numbers = text(index).split(separator: ",").map { Int16($0) }
        guard !numbers.isEmpty, numbers.allSatisfy({ $0.map { (-128...255).contains($0) } ?? false }) else {
            throw PasskeyProblem("The \(name) is not a list of bytes.")
        }
        return Data(numbers.compactMap { $0.map { UInt8(truncatingIfNeeded: $0) } })
    }
}

extension JourneyState {
    /// Creates a challenge, and stores it until the node ends.
    fileprivate mutating func newChallenge() -> Data {
        let challenge = Secret.bytes()
        notes["challenge"] = .string(challenge.base64EncodedString())
        return challenge
    }

    /// The challenge of the current node.
    fileprivate var challenge: Data { Data(base64Encoded: notes["challenge"]?.string ?? "") ?? Data() }
}

extension Data {
    /// The description of a credential with this identifier. In it, the bytes of the identifier are signed numbers.
    fileprivate var descriptor: JsonValue {
        ["type": "public-key", "id": .array(map { .integer(Int64(Int8(bitPattern: $0))) })]
    }
}
