import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct DeviceIntegrityTests {
    /// A check whose result a test sets.
    private struct FakeProbe: IntegrityProbe {
        let check: IntegrityCheck
        let finding: IntegrityError?
        var runs = Locked(0)

        func run() throws(IntegrityError) {
            runs.withLock { $0 += 1 }
            if let finding { throw finding }
        }
    }

    /// A clock that a test advances.
    private struct FakeClock {
        private let elapsed = Locked(Duration.zero)

        var time: TimeSource {
            TimeSource(now: { [elapsed] in elapsed.withLock { $0 } }, date: { Date() }, sleep: { _ in })
        }

        func advance(_ duration: Duration) { elapsed.withLock { $0 += duration } }
    }

    private static let outdated = Data(#"{"error": "outdated_app", "minimum_version": "2.0.0"}"#.utf8)

    @Test func `Only enabled checks run`() throws {
        let debugger = FakeProbe(check: .debugger, finding: .debuggerAttached("gdb"))
        let hooking = FakeProbe(check: .hooking, finding: nil)
        let integrity = DeviceIntegrity(IntegrityOptions(checks: [.hooking]), probes: [debugger, hooking])
        try integrity.check()
        #expect(debugger.runs.withLock { $0 } == 0)
        #expect(hooking.runs.withLock { $0 } == 1)
    }

    @Test func `The first finding is thrown, and each result is reported`() throws {
        let probes: [FakeProbe] = [
            FakeProbe(check: .debugger, finding: nil),
            FakeProbe(check: .compromisedDevice, finding: .deviceCompromised("/var/jb exists")),
            FakeProbe(check: .hooking, finding: .hooked("LD_PRELOAD")),
        ]
        let integrity = DeviceIntegrity(IntegrityOptions(), probes: probes)
        #expect(throws: IntegrityError.deviceCompromised("/var/jb exists")) { try integrity.check() }
        let results = integrity.results()
        #expect(results.map { $0.check } == IntegrityCheck.allCases)
        #expect(
            results.map { $0.finding } == [nil, .deviceCompromised("/var/jb exists"), .hooked("LD_PRELOAD"), nil, nil]
        )
    }

    @Test func `No check runs if none is enabled`() throws {
        let integrity = DeviceIntegrity(
            IntegrityOptions(checks: []),
            probes: [FakeProbe(check: .debugger, finding: .debuggerAttached("gdb"))]
        )
        try integrity.check()
        #expect(integrity.results().isEmpty)
    }

    @Test(.enabled(if: !ObservedProcess.isCurrent, "The checks find the debugger or the libraries of the tests."))
    func `The checks of this process pass in a test`() throws {
        try DeviceIntegrity().check()
    }

    @Test(arguments: [
        (#"{"error": "outdated_app", "minimum_version": "2.0.0"}"#, IntegrityError.outdatedApp(minimum: "2.0.0")),
        (#"{"error": "outdated_os", "minimum_version": "17"}"#, .outdatedSystem(minimum: "17")),
        (#"{"error": "outdated_app"}"#, .outdatedApp(minimum: nil)),
        (#"{"error": "outdated_app", "minimum_version": 2}"#, .outdatedApp(minimum: nil)),
    ])
    func `A reported version refuses further calls`(body: String, error: IntegrityError) throws {
        for status in [400, 403] {
            let integrity = DeviceIntegrity(IntegrityOptions(), probes: [])
            let copy = integrity
            #expect(integrity.recordReport(status: status, body: Data(body.utf8)) == error)
            #expect(throws: error) { try copy.check() }
        }
    }

    @Test func `A response of a resource gateway is examined`() throws {
        let integrity = DeviceIntegrity(IntegrityOptions(), probes: [])
        let request = HttpRequest(url: "https://api.example.com/accounts")
        let refused = HttpResponse(status: 403, body: Self.outdated, request: request)
        #expect(integrity.recordReport(in: refused) == .outdatedApp(minimum: "2.0.0"))
        let other = HttpResponse(status: 200, body: Self.outdated, request: request)
        #expect(integrity.recordReport(in: other) == nil)
    }

    @Test(arguments: ["", "[]", "{}", #"{"error": "insufficient_scope"}"#, #"{"error": ["outdated_app"]}"#])
    func `Other responses refuse nothing`(body: String) throws {
        let integrity = DeviceIntegrity(IntegrityOptions(), probes: [])
        #expect(integrity.recordReport(status: 403, body: Data(body.utf8)) == nil)
        for status in [nil, 200, 401, 404, 500] {
            #expect(integrity.recordReport(status: status, body: Self.outdated) == nil)
        }
        #expect(integrity.recordReport(status: 403, body: nil) == nil)
        try integrity.check()
    }

    @Test func `A large response is not read`() {
        let body = Data(#"{"error": "outdated_app", "padding": "\#(String(repeating: "x", count: 70_000))"}"#.utf8)
        #expect(DeviceIntegrity(IntegrityOptions(), probes: []).recordReport(status: 403, body: body) == nil)
    }

    @Test func `A report ends after its lifetime, and is renewed by the next one`() throws {
        let clock = FakeClock()
        let options = IntegrityOptions(reportLifetime: .seconds(300))
        let integrity = DeviceIntegrity(options, probes: [], time: clock.time)
        integrity.recordReport(status: 403, body: Self.outdated)
        clock.advance(.seconds(299))
        #expect(throws: IntegrityError.outdatedApp(minimum: "2.0.0")) { try integrity.check() }
        integrity.recordReport(status: 403, body: Self.outdated)
        clock.advance(.seconds(299))
        #expect(throws: IntegrityError.outdatedApp(minimum: "2.0.0")) { try integrity.check() }
        clock.advance(.seconds(1))
        try integrity.check()
    }

    @Test func `A report about a disabled check, or without a lifetime, is returned but not stored`() throws {
        for options in [
            IntegrityOptions(checks: [.outdatedSystem]), IntegrityOptions(reportLifetime: .zero),
            IntegrityOptions(reportLifetime: .seconds(-1)),
        ] {
            let integrity = DeviceIntegrity(options, probes: [])
            #expect(integrity.recordReport(status: 403, body: Self.outdated) == .outdatedApp(minimum: "2.0.0"))
            try integrity.check()
        }
    }

    @Test func `A minimum version with control characters is escaped and shortened`() {
        let text = "2\\n" + String(repeating: "9", count: 100)
        let body = Data(#"{"error": "outdated_app", "minimum_version": "\#(text)"}"#.utf8)
        let error = DeviceIntegrity(IntegrityOptions(), probes: []).recordReport(status: 403, body: body)
        guard case .outdatedApp(let minimum?) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(minimum.hasPrefix("2\\u{A}9"))
        #expect(minimum.count == 41)
    }

    @Test func `Each error states what to do`() {
        let errors: [IntegrityError] = [
            .debuggerAttached("gdb"), .deviceCompromised("/var/jb exists"), .hooked("LD_PRELOAD"),
            .outdatedApp(minimum: "2"), .outdatedSystem(minimum: nil), .undetermined(.debugger, reason: "no /proc"),
        ]
        #expect(errors.map(\.check) == IntegrityCheck.allCases + [.debugger])
        #expect("\(errors[0])".hasSuffix("detach it, or disable the check in a development build"))
        #expect("\(errors[3])" == "the server requires a newer version of this app, at least 2; install the update")
        #expect("\(errors[5])" == "the integrity check debugger could not be completed: no /proc")
    }
}
