import Foundation

/// What a device waits for (RFC 8628).
struct DeviceAuthorization: Sendable {
    /// What has become of it.
    enum Decision: Sendable {
        case pending
        case denied
        case allowed(Grant)
    }

    let client: GatewayClient
    let scopes: [String]
    let userCode: String
    var decision = Decision.pending
    /// How long the device has to wait between two questions, in seconds.
    var interval: TimeInterval
    var lastPoll: Date?
}

/// The device that a user code stands for.
struct PendingUserCode: Sendable {
    let key: SecretHash
    let clientID: String
}

/// The code that a person types: eight consonants, in any case, with or without a dash. Those that are easily mistaken are not among them.
enum UserCode {
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")

    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<8).map { _ in letters[Int.random(in: letters.indices, using: &generator)] })
    }

    /// The code as it is shown.
    static func shown(_ code: String) -> String {
        "\(code.prefix(4))-\(code.dropFirst(4))"
    }

    /// The code as it is kept.
    static func normal(_ typed: String) -> String {
        String(typed.prefix(64).uppercased().filter { $0.isASCII && $0.isLetter })
    }
}
