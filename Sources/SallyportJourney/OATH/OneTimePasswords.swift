import Foundation
import SallyportStorage
import SallyportTransport

/// Creates one-time passwords (OATH): TOTP (RFC 6238) and HOTP (RFC 4226).
///
/// ```swift
/// let passwords = OneTimePasswords(store: FileMechanismStore(at: file, key: key), owner: "alice")
/// let account = try await passwords.add("otpauth://totp/Example:alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example")
/// let password = try await passwords.next(for: account.id)
/// print(password.text)
/// ```
///
/// Secrets of less than 16 bytes are refused (RFC 4226, section 4): whoever sees some passwords can find such a secret by a search, and create
/// all others.
public struct OneTimePasswords: Sendable {
    private let record: OwnedRecord<MechanismRecord, MechanismError>
    private let clock: TimeSource

    /// Creates an object for the accounts in a store.
    ///
    /// - Parameters:
    ///   - store: The store of the accounts, such as a ``FileMechanismStore`` with a key.
    ///   - owner: A name for the owner of the accounts, such as the name of a profile. A record of another owner is refused.
    public init(store: any RecordStore<MechanismRecord>, owner: String) {
        self.init(store: store, owner: owner, clock: .system)
    }

    package init(store: any RecordStore<MechanismRecord>, owner: String, clock: TimeSource) {
        record = OwnedRecord(mechanismsIn: store, owner: owner)
        self.clock = clock
    }

    /// Adds the account of a URI. No request is sent.
    ///
    /// If the account is in the store already, it remains unchanged, so that a counter never decreases.
    ///
    /// - Parameter uri: The URI in the server's QR code, `otpauth://` or `mfauth://`. Pass an `mfauth` URI for push messages to
    ///   ``PushClient/enroll(_:device:)`` as well.
    /// - Throws: ``MechanismError``.
    @discardableResult
    public func add(_ uri: String) async throws(MechanismError) -> OneTimePasswordAccount {
        let account = try OneTimePasswordAccount(uri)
        return try await record.change { record throws(MechanismError) in
            if let existing = record.passwords.first(where: { $0.isSame(as: account) }) { return existing }
            try record.checkSpace(after: record.passwords.count)
            record.passwords.append(account)
            return account
        }
    }

    /// Returns the accounts, in the order they were added.
    public func accounts() async throws(MechanismError) -> [OneTimePasswordAccount] {
        try await record.load().passwords
    }

    /// Removes an account.
    ///
    /// - Throws: ``MechanismError`` with the reason ``MechanismError/Reason/unknownMechanism`` if there is no such account.
    public func remove(_ id: OneTimePasswordAccount.ID) async throws(MechanismError) {
        try await record.change { record throws(MechanismError) in
            _ = record.passwords.remove(at: try record.passwordIndex(id))
        }
    }

    /// Returns the current password of an account with a time factor, or the next password of an account with a counter.
    ///
    /// The increased counter is stored before the password is returned, so that no password is shown twice.
    ///
    /// - Throws: ``MechanismError``.
    public func next(for id: OneTimePasswordAccount.ID) async throws(MechanismError) -> OneTimePassword {
        let stored = try await record.load()
        let account = stored.passwords[try stored.passwordIndex(id)]
        switch account.factor {
        case .time(let period): return OneTimePassword(of: account, period: period, at: clock.date())
        case .counter: return try await nextCounted(for: id)
        }
    }

    private func nextCounted(for id: OneTimePasswordAccount.ID) async throws(MechanismError) -> OneTimePassword {
        try await record.change { record throws(MechanismError) in
            let index = try record.passwordIndex(id)
            let account = record.passwords[index]
            guard case .counter(let counter) = account.factor, counter < .max else {
                throw MechanismError(
                    .counterExhausted,
                    "the counter of the account has its maximum",
                    advice: "enroll the account again at the server"
                )
            }
            record.passwords[index].factor = .counter(counter + 1)
            return OneTimePassword(text: account.password(counter), expiresAt: nil)
        }
    }
}

/// A one-time password. Its description does not contain it.
public struct OneTimePassword: Sendable, Hashable {
    /// The digits.
    public let text: String
    /// The time when the password expires; `nil` if it is based on a counter.
    public let expiresAt: Date?
}

extension OneTimePassword {
    /// Creates the password for the period that contains a time (RFC 6238, section 4.2).
    init(of account: OneTimePasswordAccount, period: Int, at now: Date) {
        let steps = max(0, Int64(now.timeIntervalSince1970)) / Int64(period)
        text = account.password(UInt64(steps))
        expiresAt = Date(timeIntervalSince1970: TimeInterval((steps + 1) * Int64(period)))
    }
}

extension OneTimePassword: CustomStringConvertible, CustomReflectable {
    /// The number of digits and the expiry.
    public var description: String {
        "one-time password of \(text.count) digits" + (expiresAt.map { ", until \($0)" } ?? "")
    }

    /// The same as ``description``, so that `dump` does not print the password either.
    public var customMirror: Mirror { Mirror(self, children: ["password": description], displayStyle: .struct) }
}

extension OneTimePasswordAccount {
    /// Returns a Boolean value that indicates whether both accounts have the same passwords and names.
    fileprivate func isSame(as other: OneTimePasswordAccount) -> Bool {
        let isSameFactor =
            switch (factor, other.factor) {
            case (.time(let period), .time(let otherPeriod)): period == otherPeriod
            case (.counter, .counter): true
            default: false
            }
        return isSameFactor && secret == other.secret && algorithm == other.algorithm && digits == other.digits
            && issuer == other.issuer && account == other.account
    }
}

extension MechanismRecord {
    fileprivate func passwordIndex(_ id: OneTimePasswordAccount.ID) throws(MechanismError) -> Int {
        guard let index = passwords.firstIndex(where: { $0.id == id }) else {
            throw MechanismError(
                .unknownMechanism,
                "the store has no such account with one-time passwords",
                advice: "add it with the URI in the server's QR code"
            )
        }
        return index
    }
}
