import Foundation
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportURLSession

@Suite(.concurrencyLimited) struct DelegatedSessionsTests {
    private static let one = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func pins() throws -> CertificatePins {
        var pins = CertificatePins()
        try pins.pin("**.example.test", to: [Self.one])
        try pins.pin("api.example.test", to: [Self.one])
        try pins.pin("reports.test", to: [Self.one], .reportOnly)
        return pins
    }

    @Test func `Hosts share a session only if they have the same pins`() throws {
        var configuration = TransportConfiguration()
        configuration.security.pins = try pins()
        let sessions = try DelegatedSessions(configuration)
        func key(_ host: String, _ scheme: Origin.Scheme = .https) -> [Int] {
            sessions.key(for: Origin(scheme: scheme, host: host, port: 443))
        }
        #expect(key("www.other.test") == [] && key("another.test") == [])
        #expect(key("a.example.test") == [0] && key("B.example.test.") == [0])
        #expect(key("api.example.test") == [0, 1])
        #expect(key("reports.test") == [2])
        #expect(key("api.example.test", .http) == [])
    }

    @Test func `A response of a host with enforced pins is refused if no chain was compared with them`() throws {
        let pins = try pins()
        let error = #expect(throws: NetworkError.self) { try pins.checkCompared(false, for: "api.example.test") }
        guard case .pinMismatch(let failure)? = error else {
            Issue.record("not refused for its pins but \(String(describing: error))")
            return
        }
        #expect(failure.reason.contains("api.example.test"))
        try pins.checkCompared(true, for: "api.example.test")
        try pins.checkCompared(false, for: "reports.test")
        try pins.checkCompared(false, for: "other.test")
    }
}
