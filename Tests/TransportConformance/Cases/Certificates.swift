import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private static func trusting(_ authority: TestAuthority) -> TransportConfiguration {
        TransportConfiguration(security: TransportSecurity(trustRoots: .pem(authority.certificatePEM)))
    }

    static let certificates: [ConformanceCase] = [
        ConformanceCase("A certificate of a configured authority is accepted", .overTLS) { context in
            let authority = try TestAuthority()
            let tls = ServerTLS(identity: try authority.serverIdentity())
            try await context.serve(.answer(), tls: tls, configuration: trusting(authority)) { bench in
                let answer = try await bench.answer()
                #expect(answer.text == "ok")
                #expect(answer.response.connection.tlsVersion == "TLSv1.3")
                #expect(answer.response.connection.tls != nil)
            }
        },
        ConformanceCase("An authority can be configured as a file", .overTLS) { context in
            let authority = try TestAuthority()
            let tls = ServerTLS(identity: try authority.serverIdentity())
            try await withTemporaryDirectory { directory in
                let file = directory.appendingPathComponent("authority.pem")
                try Data(authority.certificatePEM.utf8).write(to: file)
                let security = TransportSecurity(trustRoots: .file(file))
                let configuration = TransportConfiguration(security: security)
                try await context.serve(.answer(), tls: tls, configuration: configuration) { bench in
                    try await bench.expectText("ok")
                }
            }
        },
        ConformanceCase("A certificate for the host's name is accepted", .overTLS) { context in
            let authority = try TestAuthority()
            let tls = ServerTLS(identity: try authority.serverIdentity(hosts: ["localhost"], addresses: []))
            try await context.serve(.answer(), tls: tls, configuration: trusting(authority)) { bench in
                var request = bench.request()
                request.head.authority = "localhost:\(bench.port)"
                try await bench.expectText("ok", from: request)
            }
        },
        ConformanceCase(
            "A certificate for an address is refused for a name of that address, and nothing is sent",
            .overTLS
        ) {
            context in
            let authority = try TestAuthority()
            let tls = ServerTLS(identity: try authority.serverIdentity(hosts: []))
            try await context.serve(.answer(), tls: tls, configuration: trusting(authority)) { bench in
                var request = bench.request()
                request.head.authority = "localhost:\(bench.port)"
                await expectFailure(.certificateRefused, phase: .tls) { try await bench.answer(request) }
                #expect(bench.server.connections.allSatisfy { $0.received.isEmpty })
            }
        },
        ConformanceCase("A certificate of an unknown authority is refused, and nothing is sent", .overTLS) { context in
            let tls = ServerTLS(identity: try TestAuthority().serverIdentity())
            try await context.serve(.answer(), tls: tls) { bench in
                let failure = await expectFailure(.certificateRefused, phase: .tls) { try await bench.answer() }
                #expect(failure?.advice?.isEmpty == false)
                #expect(bench.server.connections.allSatisfy { $0.received.isEmpty })
            }
        },
        ConformanceCase("A configured authority replaces all others", .overTLS) { context in
            let tls = ServerTLS(identity: try TestAuthority().serverIdentity())
            try await context.serve(.answer(), tls: tls, configuration: trusting(try TestAuthority())) { bench in
                await expectFailure(.certificateRefused) { try await bench.answer() }
                #expect(bench.server.connections.allSatisfy { $0.received.isEmpty })
            }
        },
        ConformanceCase("A certificate for another host is refused, and nothing is sent", .overTLS) { context in
            let authority = try TestAuthority()
            let tls = ServerTLS(identity: try authority.serverIdentity(hosts: ["other.test"], addresses: []))
            try await context.serve(.answer(), tls: tls, configuration: trusting(authority)) { bench in
                await expectFailure(.certificateRefused) { try await bench.answer() }
                #expect(bench.server.connections.allSatisfy { $0.received.isEmpty })
            }
        },
        ConformanceCase("A client certificate is sent to a server that requests one", .overTLS) { context in
            let authority = try TestAuthority()
            let tls = ServerTLS(identity: try authority.serverIdentity(), clientAuthority: authority)
            try await withTemporaryDirectory { directory in
                let identity = try authority.clientIdentity()
                let files = TransportSecurity.ClientIdentity(
                    certificateFile: directory.appendingPathComponent("client.pem"),
                    keyFile: directory.appendingPathComponent("client.key")
                )
                try Data(identity.certificatePEM.utf8).write(to: files.certificateFile)
                try Data(identity.keyPEM.utf8).write(to: files.keyFile)
                var configuration = trusting(authority)
                configuration.security.clientIdentity = files
                try await context.serve(.answer(), tls: tls, configuration: configuration) { bench in
                    try await bench.expectText("ok")
                }
            }
        },
        ConformanceCase("A call without a required client certificate fails", .overTLS) {
            context in
            let authority = try TestAuthority()
            let tls = ServerTLS(identity: try authority.serverIdentity(), clientAuthority: authority)
            try await context.serve(.answer(), tls: tls, configuration: trusting(authority)) { bench in
                await expectFailure(.tlsFailed, .connectionLost) { try await bench.answer() }
                #expect(bench.server.requests.isEmpty)
            }
        },
    ]
}
