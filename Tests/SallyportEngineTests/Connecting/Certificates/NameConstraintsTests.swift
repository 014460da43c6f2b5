import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct NameConstraintsTests {
    private static let root = "Sallyport test authority"

    /// Returns the reason for the refusal of a server; `nil` if it is accepted.
    private func refusal(
        of identity: TestAuthority.Identity,
        trusting root: TestAuthority,
        calling host: String = "api.example.test"
    ) async throws -> String? {
        let security = try TransportSecurity.trusting(root.certificatePEM)
        let call = try await TLSCall.make(to: host, showing: identity, security: security)
        guard let error = call.error else { return nil }
        #expect(error.kind == "certificateRefused")
        #expect(call.received.isEmpty)
        return error.failure.reason
    }

    private func outside(_ authority: String, whose: String = "of api.example.test") -> String {
        "the certificate \(whose) is not for names that the authority \"\(authority)\" is allowed to issue certificates for"
    }

    @Test(
        arguments: [
            (["example.test"], [], true), (["EXAMPLE.TEST."], [], true), (["api.example.test"], [], true),
            ([".example.test"], [], true), (["other.test", "test"], [], true), ([], ["other.test"], true),
            (["example.test"], ["www.example.test"], true),
            (["ample.test"], [], false), ([".api.example.test"], [], false), (["www.api.example.test"], [], false),
            ([], ["example.test"], false), ([], ["API.example.test."], false),
            (["example.test"], ["api.example.test"], false),
            ([], [""], false),
        ] as [([String], [String], Bool)]
    )
    func `A host must be within a permitted subtree and outside of all excluded ones`(
        permitted: [String],
        excluded: [String],
        isAccepted: Bool
    ) async throws {
        let root = try TestAuthority {
            $0.permittedHosts = permitted
            $0.excludedHosts = excluded
        }
        for host in ["api.example.test", "api.example.test."] {
            let identity = try root.serverIdentity(hosts: [host])
            let reason = try await refusal(of: identity, trusting: root)
            #expect(reason == (isAccepted ? nil : outside(Self.root)), "\(host)")
        }
    }

    @Test(arguments: [
        ("secret.example.test", false), ("api.example.test", false), ("example.test", false), ("test", false),
        ("a.secret.example.test", true), (".secret.example.test", true), ("other.test", true), ("secret.test", true),
    ])
    func `A wildcard is refused if one of its names is excluded`(excluded: String, isAccepted: Bool) async throws {
        let root = try TestAuthority { $0.excludedHosts = [excluded] }
        let reason = try await refusal(of: root.serverIdentity(hosts: ["*.example.test"]), trusting: root)
        #expect(reason == (isAccepted ? nil : outside(Self.root)))
    }

    @Test func `An address must be within a permitted range`() async throws {
        for (range, isAccepted) in [
            ([127, 0, 0, 0, 255, 0, 0, 0], true), ([127, 0, 0, 1, 255, 255, 255, 255], true),
            ([127, 0, 0, 2, 255, 255, 255, 255], false), ([10, 0, 0, 0, 255, 0, 0, 0], false),
        ] as [([UInt8], Bool)] {
            let root = try TestAuthority { $0.permittedRanges = [range] }
            let reason = try await refusal(of: root.serverIdentity(), trusting: root, calling: "localhost")
            #expect(reason == (isAccepted ? nil : outside(Self.root, whose: "of localhost")), "\(range)")
        }
    }

    @Test(arguments: [[127, 0, 0, 0, 255, 0, 255, 0], [127, 0, 0, 0], []] as [[UInt8]])
    func `An authority with a malformed constraint is refused`(range: [UInt8]) async throws {
        let root = try TestAuthority { $0.permittedRanges = [range] }
        let reason = try await refusal(of: root.serverIdentity(), trusting: root, calling: "localhost")
        #expect(
            reason
                == "the certificate of the authority \"\(Self.root)\", in the chain of localhost, has name constraints that are malformed, or of a kind that is not supported"
        )
    }

    @Test func `A self-issued authority is exempt from the constraints of its issuer, and its server is not`()
        async throws
    {
        let root = try TestAuthority { $0.permittedHosts = ["example.test"] }
        let renewed = try root.intermediate(name: Self.root) { $0.hosts = ["elsewhere.test"] }
        let hosts = ["api.example.test"]
        #expect(try await refusal(of: renewed.serverIdentity(hosts: hosts), trusting: root) == nil)
        let foreign = try renewed.serverIdentity(hosts: hosts + ["elsewhere.test"])
        #expect(try await refusal(of: foreign, trusting: root) == outside(Self.root))
        let server = try renewed.serverIdentity(hosts: hosts + ["elsewhere.test"]) { $0.name = Self.root }
        #expect(try await refusal(of: server, trusting: root) == outside(Self.root))
    }

    @Test func `Another authority is not exempt, and the constraints of a self-issued one apply`() async throws {
        let root = try TestAuthority { $0.permittedHosts = ["example.test"] }
        let other = try root.intermediate(name: "Other") { $0.hosts = ["elsewhere.test"] }
        let hosts = ["api.example.test"]
        let whose = "of the authority \"Other\", in the chain of api.example.test,"
        #expect(
            try await refusal(of: other.serverIdentity(hosts: hosts), trusting: root)
                == outside(Self.root, whose: whose)
        )
        let free = try TestAuthority()
        let renewed = try free.intermediate(name: Self.root) { $0.excludedHosts = ["api.example.test"] }
        #expect(try await refusal(of: renewed.serverIdentity(hosts: hosts), trusting: free) == outside(Self.root))
    }

    @Test func `Comparing 2,048 names with 2,048 constraints is refused, and with 100 is not`() async throws {
        let names = ["api.example.test"] + (1..<2_048).map { "h\($0).test" }
        for (count, isAccepted) in [(2_048, false), (100, true)] {
            let root = try TestAuthority { $0.excludedHosts = (0..<count).map { "x\($0).test" } }
            let reason = try await refusal(of: root.serverIdentity(hosts: names), trusting: root)
            #expect(
                reason
                    == (isAccepted
                        ? nil
                        : "the certificate of the authority \"\(Self.root)\", in the chain of api.example.test, has so many name constraints that comparing them with the names below it takes more than 250000 steps")
            )
        }
    }

    @Test func `A wildcard for a top-level domain is refused, unless another name matches`() async throws {
        let root = try TestAuthority()
        for wildcard in ["*.com", "*.COM."] {
            let reason = try await refusal(
                of: root.serverIdentity(hosts: [wildcard, "*.example.com"]),
                trusting: root,
                calling: "example.com"
            )
            #expect(
                reason
                    == "the certificate of example.com has the name \(wildcard), which would cover a whole top-level domain"
            )
            let named = try root.serverIdentity(hosts: [wildcard, "example.com"])
            #expect(try await refusal(of: named, trusting: root, calling: "example.com") == nil)
        }
    }

    @Test(arguments: [["h*st.example.test", "**.example.test"], ["*.test", "**.test"], ["**.example.test"]])
    func `A name with two asterisks is that of no server`(hosts: [String]) async throws {
        let root = try TestAuthority { $0.excludedHosts = ["host.example.test"] }
        let reason = try await refusal(
            of: root.serverIdentity(hosts: hosts),
            trusting: root,
            calling: "host.example.test"
        )
        #expect(reason != nil)
    }

    @Test func `An authority with an empty subject is refused`() async throws {
        let root = try TestAuthority()
        let unnamed = try TestAuthority(name: "")
        let reason = "the certificate of api.example.test has an authority without a name in its chain"
        let hosts = ["api.example.test"]
        #expect(try await refusal(of: unnamed.serverIdentity(hosts: hosts), trusting: unnamed) == reason)
        let below = try root.intermediate(name: "")
        #expect(try await refusal(of: below.serverIdentity(hosts: hosts), trusting: root) == reason)
    }
}
