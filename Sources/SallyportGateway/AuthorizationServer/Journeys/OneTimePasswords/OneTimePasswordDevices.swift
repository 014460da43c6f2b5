import Foundation
import SallyportJOSE

/// The generators of one-time passwords of the users.
final class OneTimePasswordDevices {
    /// The lifetime of a registration, in seconds.
    private static let lifetime: TimeInterval = 365 * 24 * 3600
    /// The number of HOTP codes that a user may skip, and of TOTP periods by which a clock may be wrong.
    private static let skippedCodes: UInt64 = 10
    private static let skippedPeriods: UInt64 = 1

    /// The event that changes the code.
    enum Kind: String, Sendable, CaseIterable {
        case totp, hotp
    }

    /// A generator of one-time passwords.
    struct Generator: Sendable {
        let password: OneTimePasswordSecret
        let kind: Kind
        /// The period of a TOTP code, in seconds.
        let period: Int

        /// Returns the URI for an app that generates the codes (`otpauth`).
        func uri(of username: String) -> String {
            "otpauth://\(kind.rawValue)/Sallyport:\(username.formEncoded)?secret=\(password.base32)&issuer=Sallyport"
                + "&\(parameters)"
        }

        /// The parameters of the URI besides the secret.
        var parameters: String {
            let detail = kind == .totp ? "period=\(period)" : "counter=0"
            return "algorithm=\(password.algorithm.rawValue)&digits=\(password.digits)&\(detail)"
        }
    }

    private struct Device: Sendable {
        let generator: Generator
        /// The lowest counter that has not been used.
        var next: UInt64
    }

    private let context: ServerContext
    private var devices = ExpiringTable<String, Device>(limit: 4096)
    /// The wrong codes of each user.
    private var guesses: AttemptLimit

    init(_ context: ServerContext) {
        self.context = context
        guesses = AttemptLimit(limit: 10, period: 600, users: context.configuration.users.map(\.username))
    }

    /// Registers a generator of a user. It replaces the previous one.
    func register(_ generator: Generator, of username: String) {
        let now = context.now
        devices.insert(Device(generator: generator, next: 0), for: username, until: now + Self.lifetime, now: now)
    }

    /// Removes the generator of a user.
    func remove(_ username: String) { devices.remove(username) }

    /// Returns a Boolean value that indicates whether a user has a generator.
    func isRegistered(_ username: String) -> Bool { devices.value(for: username, now: context.now) != nil }

    /// Returns a Boolean value that indicates whether a code is valid. A valid code can be used once.
    ///
    /// - Throws: The refusal for a user who has entered too many wrong codes.
    func redeem(_ code: String, of username: String) throws(JourneyRefusal) -> Bool {
        let now = context.now
        guard !guesses.isReached(by: username, now: now) else { throw .locked }
        guard let device = devices.value(for: username, now: now) else { return false }
        let expected = device.generator.password
        guard
            let counter = counters(of: device, now: now).first(where: {
                ConstantTime.areEqual(expected.code($0).utf8, code.utf8)
            })
        else {
            guesses.count(username, now: now)
            return false
        }
        devices.update(username, now: now) { $0.next = counter + 1 }
        guesses.forget(username)
        return true
    }

    /// Returns the counters whose codes are accepted.
    private func counters(of device: Device, now: Date) -> [UInt64] {
        switch device.generator.kind {
        case .hotp: return Array(device.next...device.next + Self.skippedCodes)
        case .totp:
            let current = UInt64(max(now.timeIntervalSince1970, 0)) / UInt64(device.generator.period)
            let first = current - min(current, Self.skippedPeriods)
            return (first...current + Self.skippedPeriods).filter { $0 >= device.next }
        }
    }
}
