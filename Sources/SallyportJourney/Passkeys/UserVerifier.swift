import Foundation
import SallyportStorage
import SallyportTransport

/// Asks the user of a ``SoftwareAuthenticator`` to allow operations, and verifies the PIN.
struct UserVerifier: Sendable {
    let record: OwnedRecord<AuthenticatorRecord, AuthenticatorError>
    let user: any AuthenticatorUser
    let clock: TimeSource
    /// The binary logarithm of the rounds of the PIN's hash.
    let pinCost: Int

    /// Sets the PIN, or changes it.
    ///
    /// - Parameters:
    ///   - new: A PIN.
    ///   - current: The current PIN, which is required if there is one. A call without it uses up no attempt.
    func setPIN(_ new: String, current: String?) async throws(AuthenticatorError) {
        let replaced = try await record.load().pin
        if let replaced {
            guard let current else { throw Self.missingPIN(attemptsLeft: replaced.attemptsLeft) }
            try await verify(current)
        }
        let pin = try await AuthenticatorPIN(new, cost: pinCost)
        try await record.change { record throws(AuthenticatorError) in
            if replaced == nil, let other = record.pin { throw Self.missingPIN(attemptsLeft: other.attemptsLeft) }
            record.pin = pin
        }
    }

    private static func missingPIN(attemptsLeft: Int) -> AuthenticatorError {
        AuthenticatorError(
            attemptsLeft == 0 ? .blocked : .wrongPIN(attemptsLeft: attemptsLeft),
            "the authenticator has a PIN already",
            advice: "pass the current PIN to change it"
        )
    }

    /// Asks the user to allow an operation, with the PIN if it is required or if there is one.
    ///
    /// - Returns: A Boolean value that indicates whether the user was verified.
    func ask(_ operation: AuthenticatorOperation, _ verification: UserVerification) async throws -> Bool {
        let pin = try await record.load().pin
        if verification == .required, pin == nil {
            throw AuthenticatorError(
                .noPIN,
                "the server requires the verification of the user, and the authenticator has no PIN",
                advice: "set a PIN"
            )
        }
        let requiresPIN = pin != nil && verification != .discouraged
        if requiresPIN, pin?.attemptsLeft == 0 { throw Self.blocked }
        guard try await user.allows(operation) else { throw Self.declined }
        guard requiresPIN, let pin else { return false }
        guard let entered = try await user.pin(for: operation, attemptsLeft: pin.attemptsLeft) else {
            throw Self.declined
        }
        try await verify(entered)
        return true
    }

    /// Asks the user to allow an operation of a device key.
    func ask(_ operation: AuthenticatorOperation, _ protection: DeviceKeyProtection) async throws {
        switch protection {
        case .none: break
        case .applicationPIN, .biometryOrPasscode: _ = try await ask(operation, UserVerification.required)
        case .biometryOnly:
            throw AuthenticatorError(
                .unsupported,
                "the server requires biometry, which this authenticator does not have"
            )
        }
    }

    /// Returns the only candidate, or the one that the user chooses.
    func choose<Candidate: CustomStringConvertible>(
        from candidates: [Candidate],
        orThrow missing: AuthenticatorError
    ) async throws -> Candidate {
        guard let first = candidates.first else { throw missing }
        if candidates.count == 1 { return first }
        guard let index = try await user.choose(from: candidates.map(\.description)), candidates.indices.contains(index)
        else { throw Self.declined }
        return candidates[index]
    }

    /// Verifies a PIN. The attempt is stored first, so that ending the process does not give more attempts.
    private func verify(_ entered: String) async throws(AuthenticatorError) {
        let pin = try await record.change { record throws(AuthenticatorError) in
            guard let attempts = record.pin?.attemptsLeft, attempts > 0 else { throw Self.blocked }
            record.pin?.attemptsLeft = attempts - 1
            return record.pin
        }
        guard let pin else { throw Self.blocked }
        guard try await pin.matches(entered) else {
            if pin.attemptsLeft == 0 { throw Self.blocked }
            throw AuthenticatorError(
                .wrongPIN(attemptsLeft: pin.attemptsLeft),
                "the PIN is wrong; attempts left: \(pin.attemptsLeft)"
            )
        }
        try await record.change { $0.pin?.attemptsLeft = AuthenticatorPIN.attempts }
    }

    /// Runs a closure that asks the user, and cancels it when a time limit is reached.
    func within<Value: Sendable>(
        _ limit: Duration,
        _ question: @escaping @Sendable () async throws -> Value
    ) async throws(AuthenticatorError) -> Value {
        let reason = "the user did not answer within \(Quantity.time(limit))"
        let timeout = AuthenticatorError(.timeout, reason, advice: "try again")
        do {
            return try await withTimeLimit(limit, clock: clock, orThrow: timeout, question)
        } catch {
            throw AuthenticatorError(wrapping: error)
        }
    }

    private static let declined = AuthenticatorError(.declined, "the user declined")

    private static let blocked = AuthenticatorError(
        .blocked,
        "the authenticator is blocked, because the PIN was wrong too often",
        advice: "reset it, which removes all its keys, and register again"
    )
}
