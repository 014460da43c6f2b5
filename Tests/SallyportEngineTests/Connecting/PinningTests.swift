import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PinningTests {
    private let root: TestAuthority
    private let intermediate: TestAuthority
    private let identity: TestAuthority.Identity
    private let stranger: CertificatePin

    init() throws {
        root = try TestAuthority(name: "Root")
        intermediate = try root.intermediate(name: "Intermediate")
        identity = try intermediate.serverIdentity()
        stranger = try CertificatePin(certificatePEM: TestAuthority(name: "Stranger").certificatePEM)
    }

    private func pin(_ pem: String) throws -> CertificatePin { try CertificatePin(certificatePEM: pem) }

    private func call(
        _ change: (inout CertificatePins) throws -> Void,
        to host: String = "localhost",
        showing other: TestAuthority.Identity? = nil
    ) async throws -> TLSCall {
        var security = try TransportSecurity.trusting(root.certificatePEM)
        try change(&security.pins)
        return try await TLSCall.make(to: host, showing: other ?? identity, security: security)
    }

    @Test
    func `A pin of the server's, an intermediate or the root certificate matches, also beside another pin`()
        async throws
    {
        for pem in [identity.certificatePEM, intermediate.certificatePEM, root.certificatePEM] {
            let call = try await call { try $0.pin(HostPattern("localhost"), to: [stranger, pin(pem)]) }
            #expect(call.error == nil)
            #expect(!call.received.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `A mismatch names the expected and the presented keys, and nothing is sent`(oldTLS: Bool)
        async throws
    {
        var security = try TransportSecurity.trusting(root.certificatePEM)
        try security.pins.pin("localhost", to: [stranger.description])
        let call = try await TLSCall.make(showing: identity, version: oldTLS ? .tls12 : .tls13, security: security)
        guard case .pinMismatch(let failure)? = call.error else {
            Issue.record("no mismatch but \(String(describing: call.error))")
            return
        }
        let came = [
            "\(try pin(identity.certificatePEM)) (Sallyport test server)",
            "\(try pin(intermediate.certificatePEM)) (Intermediate)",
            "\(try pin(root.certificatePEM)) (Root)",
        ]
        #expect(
            failure.reason
                == "the certificates of localhost match none of its pins: expected \(stranger); received \(came.joined(separator: ", "))"
        )
        #expect(failure.phase == .tls)
        #expect(call.received.isEmpty)
    }

    @Test
    func `Plain HTTP to a pinned host is refused before a connection is opened`() async throws {
        let answer = ScriptStep.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await withScriptedServer([[.receiveHead, answer]]) { server in
            var configuration = TransportConfiguration()
            try configuration.security.pins.pin("localhost", to: [stranger.description])
            let engine = Engine(configuration: configuration)
            func status(of host: String) async throws -> Int {
                let authority = "\(host):\(server.port)"
                let head = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
                return try await engine.send(TransportRequest(head: head, timeouts: .patient)) { $0.head.status.code }
            }
            await expectError(\NetworkError.kind, "invalidRequest") { try await status(of: "localhost") }
            #expect(server.acceptedConnections == 0)
            #expect(try await status(of: "127.0.0.1") == 204)
            await engine.shutdown(grace: .seconds(5))
        }
    }

    @Test
    func `A pin matches only certificates in the validated chain, not all that the server sent`() async throws {
        var other = identity
        let foreign = try TestAuthority(name: "Foreign")
        other.othersPEM.append(foreign.certificatePEM)
        let call = try await call(
            { try $0.pin(HostPattern("localhost"), to: [pin(foreign.certificatePEM)]) },
            showing: other
        )
        guard case .pinMismatch? = call.error else {
            Issue.record("no mismatch but \(String(describing: call.error))")
            return
        }
        #expect(call.received.isEmpty)
    }

    @Test
    func `The pins of all patterns that match a host are combined, and other patterns do not apply`() async throws {
        let identity = try intermediate.serverIdentity(hosts: ["example.test", "api.example.test", "a.b.example.test"])
        let right = try pin(root.certificatePEM)
        let both = try await call(
            {
                try $0.pin(HostPattern("*.example.test"), to: [stranger])
                try $0.pin(HostPattern("**.EXAMPLE.test."), to: [right])
            },
            to: "api.example.test",
            showing: identity
        )
        #expect(both.error == nil)
        for (host, isPinned) in [("example.test", false), ("api.example.test", true), ("a.b.example.test", false)] {
            let call = try await call(
                { try $0.pin(HostPattern("*.example.test"), to: [stranger]) },
                to: host,
                showing: identity
            )
            #expect(call.error?.kind == (isPinned ? "pinMismatch" : nil), "\(host)")
        }
    }

    @Test
    func `In report-only mode a mismatch calls the handler and the call succeeds`() async throws {
        let mismatches = NIOLockedValueBox<[PinMismatch]>([])
        let call = try await call {
            try $0.pin(HostPattern("localhost"), to: [stranger], .reportOnly)
            try $0.pin(HostPattern("localhost"), to: [pin(root.certificatePEM)])
            $0.onMismatch = { mismatch in mismatches.withLockedValue { $0.append(mismatch) } }
        }
        #expect(call.error == nil)
        let told = mismatches.withLockedValue { $0 }
        #expect(told.count == 1)
        #expect(told.first?.host == "localhost")
        #expect(told.first?.expected == [stranger])
        #expect(told.first?.chain.map(\.subject) == ["Sallyport test server", "Intermediate", "Root"])
        #expect(told.first?.isEnforced == false)
    }

    @Test
    func `The handler is called for an enforced mismatch and not for a match`() async throws {
        let mismatches = NIOLockedValueBox<[PinMismatch]>([])
        for pin in [stranger, try pin(root.certificatePEM)] {
            _ = try await call {
                try $0.pin(HostPattern("localhost"), to: [pin])
                $0.onMismatch = { mismatch in mismatches.withLockedValue { $0.append(mismatch) } }
            }
        }
        #expect(mismatches.withLockedValue { $0.map(\.isEnforced) } == [true])
    }

    @Test
    func `An expired pin is ignored if another pin is valid`() async throws {
        let call = try await call {
            try $0.pin(HostPattern("localhost"), to: [pin(root.certificatePEM)], until: .now - 1)
            try $0.pin(HostPattern("localhost"), to: [stranger], until: .now + 1000)
        }
        guard case .pinMismatch? = call.error else {
            Issue.record("no mismatch but \(String(describing: call.error))")
            return
        }
    }

    @Test
    func `If all pins of a host have expired, calls to it are refused before a connection is opened`() async throws {
        let authority = try root.serverIdentity()
        let security = try {
            var security = try TransportSecurity.trusting(root.certificatePEM)
            let time = Date(timeIntervalSince1970: 1_700_000_000)
            try security.pins.pin(HostPattern("localhost"), to: [pin(root.certificatePEM)], until: time)
            return security
        }()
        let call = try await TLSCall.make(showing: authority, security: security)
        guard case .invalidRequest(let failure)? = call.error else {
            Issue.record("not refused but \(String(describing: call.error))")
            return
        }
        #expect(failure.reason == "all pins for localhost expired on 2023-11-14T22:13:20Z")
        #expect(call.connections == 0)
    }

    @Test
    func `Pins do not make an untrusted chain trusted`() async throws {
        let own = try TestAuthority.selfSignedIdentity()
        let call = try await call(
            { try $0.pin(HostPattern("localhost"), to: [pin(own.certificatePEM)]) },
            showing: own
        )
        guard case .certificateRefused? = call.error else {
            Issue.record("not refused but \(String(describing: call.error))")
            return
        }
    }
}
