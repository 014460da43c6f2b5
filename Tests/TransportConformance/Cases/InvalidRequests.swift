import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private static let badHeads: [(name: String, spoil: @Sendable (inout HTTPRequest) -> Void)] = [
        ("A scheme other than http and https", { $0.scheme = "ftp" }),
        ("A request without a scheme", { $0.scheme = nil }),
        ("A request without a host", { $0.authority = nil }),
        ("An empty host", { $0.authority = "" }),
        ("A host with a space", { $0.authority = "a b" }),
        ("A host with a path", { $0.authority = "127.0.0.1/x" }),
        ("A host with a user name", { $0.authority = "user:password@127.0.0.1" }),
        ("A port above the maximum", { $0.authority = "127.0.0.1:65536" }),
        ("A port that is not a number", { $0.authority = "127.0.0.1:http" }),
        ("A request without a path", { $0.path = nil }),
        ("An empty path", { $0.path = "" }),
        ("A path that does not begin with a slash", { $0.path = "relative" }),
        ("A path with a space", { $0.path = "/a b" }),
        ("A path with a line break", { $0.path = "/a HTTP/1.1\r\nX-Injected: 1\r\n" }),
        ("A path with non-ASCII characters", { $0.path = "/café" }),
        ("A path with a fragment", { $0.path = "/a#b" }),
        ("A CONNECT request", { $0.method = .connect }),
        ("A Transfer-Encoding field", { $0.headerFields[.transferEncoding] = "chunked" }),
    ]

    static let invalidRequests: [ConformanceCase] =
        badHeads.map { name, spoil in
            ConformanceCase("\(name) is refused before anything is sent") { context in
                try await context.serve(.answer()) { bench in
                    var request = bench.request()
                    spoil(&request.head)
                    await expectFailure(.invalidRequest) { try await bench.answer(request) }
                    #expect(bench.server.requests.isEmpty)
                    try await bench.expectText("ok")
                }
            }
        } + [
            ConformanceCase("A line break in a field value does not inject a field") { context in
                try await context.serve(.answer()) { bench in
                    let name = try #require(HTTPField.Name("X-Value"))
                    let request = bench.request(fields: [name: "a\r\nX-Injected: 1\r\n\r\nGET / HTTP/1.1\u{0}"])
                    do { _ = try await bench.answer(request) } catch NetworkError.invalidRequest { return }
                    #expect(bench.server.requests.count == 1)
                    #expect(bench.server.requests.first?["X-Injected"] == [])
                }
            },
            ConformanceCase("A missing CA file is refused and named before anything is sent", .overTLS) {
                context in
                let file = URL(fileURLWithPath: "/nowhere/authority.pem")
                try await refusal(of: TransportSecurity(trustRoots: .file(file)), naming: "authority.pem", context)
            },
            ConformanceCase("A CA file without certificates is refused and named before anything is sent", .overTLS) {
                context in
                try await withTemporaryDirectory { directory in
                    let file = directory.appendingPathComponent("notes.txt")
                    try Data("no certificates in here\n".utf8).write(to: file)
                    try await refusal(of: TransportSecurity(trustRoots: .file(file)), naming: "notes.txt", context)
                }
            },
            ConformanceCase("A missing client certificate is refused and named before anything is sent", .overTLS) {
                context in
                let file = URL(fileURLWithPath: "/nowhere/client.pem")
                let identity = TransportSecurity.ClientIdentity(certificateFile: file, keyFile: file)
                try await refusal(of: TransportSecurity(clientIdentity: identity), naming: "client.pem", context)
            },
        ]

    private static func refusal(
        of security: TransportSecurity,
        naming file: String,
        _ context: ConformanceContext
    ) async throws {
        let identity = try TestAuthority().serverIdentity()
        try await context.serve(
            .answer(),
            tls: ServerTLS(identity: identity),
            configuration: TransportConfiguration(security: security)
        ) { bench in
            let failure = await expectFailure(.invalidRequest) { try await bench.answer() }
            #expect(failure?.reason.contains(file) == true)
            #expect(bench.server.requests.isEmpty)
        }
    }
}
