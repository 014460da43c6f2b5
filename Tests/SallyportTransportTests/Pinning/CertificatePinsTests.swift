import Foundation
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CertificatePinsTests {
    private static let one = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let two = "sha256/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="

    @Test func `An invalid host or pin is refused, and nothing is added`() {
        var pins = CertificatePins()
        expectError(\NetworkError.kind, "invalidRequest") { try pins.pin("https://example.com", to: [Self.one]) }
        expectError(\NetworkError.kind, "invalidRequest") { try pins.pin("example.com", to: [Self.one, "sha256/abc"]) }
        expectError(\NetworkError.kind, "invalidRequest") { try pins.pin("example.com", to: []) }
        #expect(pins.entries.isEmpty)
    }

    @Test func `Calls to a host are refused only when all its enforced pins have expired`() throws {
        let now = Date.now
        var pins = CertificatePins()
        try pins.pin("example.com", to: [Self.one], until: now)
        try pins.pin("**.example.com", to: [Self.two], .reportOnly)
        expectError(\NetworkError.kind, "invalidRequest") { try pins.checkExpiry(for: "example.com", at: now) }
        try pins.checkExpiry(for: "example.com", at: now - 1)
        try pins.checkExpiry(for: "api.example.com", at: now)
        try pins.pin("**.example.com", to: [Self.two], until: now + 10)
        try pins.checkExpiry(for: "example.com", at: now)
        expectError(\NetworkError.kind, "invalidRequest") { try pins.checkExpiry(for: "example.com", at: now + 10) }
    }

    @Test func `Plain HTTP to a host with enforced pins is refused`() throws {
        var pins = CertificatePins()
        try pins.pin("**.example.com", to: [Self.one])
        try pins.pin("reports.test", to: [Self.two], .reportOnly)
        let origin = Origin(scheme: .http, host: "api.example.com", port: 80)
        #expect {
            try pins.checkCall(to: origin)
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.hasPrefix("api.example.com has pins, and over plain HTTP")
        }
        try pins.checkCall(to: Origin(scheme: .https, host: "api.example.com", port: 443))
        try pins.checkCall(to: Origin(scheme: .http, host: "reports.test", port: 80))
        try pins.checkCall(to: Origin(scheme: .http, host: "example.org", port: 80))
    }

    @Test func `Enforced pins of a host are reported, also expired ones`() throws {
        var pins = CertificatePins()
        #expect(!pins.areEnforced(for: "api.example.com"))
        try pins.pin("api.example.com", to: [Self.one], .reportOnly)
        #expect(!pins.areEnforced(for: "api.example.com"))
        try pins.pin("*.example.com", to: [Self.one], until: .distantPast)
        #expect(pins.areEnforced(for: "API.example.com"))
        #expect(!pins.areEnforced(for: "example.com"))
    }

    @Test func `The chain is not requested for a host without pins`() throws {
        var pins = CertificatePins()
        try pins.pin("example.com", to: [Self.one])
        try pins.check("example.org") { () throws(NetworkError) in
            Issue.record("the chain was requested")
            return []
        }
    }

    @Test func `A long list of pins is truncated in the error`() throws {
        var pins = CertificatePins()
        try pins.pin("example.com", to: Array(repeating: Self.one, count: 1_000))
        #expect {
            try pins.check("example.com") { () throws(NetworkError) in
                [
                    PinMismatch.Certificate(
                        subject: String(repeating: "x", count: 10_000),
                        pin: try CertificatePin(Self.two)
                    )
                ]
            }
        } throws: { error in
            guard case NetworkError.pinMismatch(let failure) = error else { return false }
            return failure.reason.count < 2_000 && failure.reason.contains(" and 992 more")
        }
    }
}
