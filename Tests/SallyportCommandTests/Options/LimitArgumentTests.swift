import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct LimitArgumentTests {
    /// The settings of the SDK that have an option of their own, or limit nothing that a user waits for.
    private static let others = [
        "Timeouts.resolve": "--connect-timeout", "Timeouts.connect": "--connect-timeout",
        "Timeouts.tls": "--connect-timeout", "Timeouts.total": "--timeout",
        "ConnectionLimits.idle": "the time for which unused connections stay open",
        "EventStreamOptions.lastEventId": "--last-event-id", "EventStreamOptions.reconnects": "--no-reconnect",
        "EventStreamOptions.idleTimeout": "--idle-timeout",
        "EventStreamOptions.reconnectionTime": "the server sets it",
        "EventStreamOptions.shortestReconnectionTime": "the wait before another connection",
        "EventStreamOptions.longestReconnectionTime": "the wait before another connection",
        "ResponseLimits.decodingRatio": "no limit of streamed bodies",
    ]

    private static func settings(_ value: Any) -> [String] {
        Mirror(reflecting: value).children.compactMap(\.label).map { "\(type(of: value)).\($0)" }
    }

    @Test func `Every limit of the SDK can be set`() {
        let settings =
            Self.settings(ResponseLimits()) + Self.settings(ConnectionLimits()) + Self.settings(Timeouts())
            + Self.settings(EventStreamOptions()) + ["HttpClientConfiguration.maximumBodySize"]
        let own = Set(LimitName.allCases.map(\.setting))
        #expect(own.count == LimitName.allCases.count)
        #expect(Set(settings).subtracting(own).subtracting(Self.others.keys).isEmpty)
        #expect(own.subtracting(settings).isEmpty)
    }

    @Test(arguments: LimitName.allCases) func `Each limit changes its setting`(name: LimitName) throws {
        let limits = [try LimitArgument("\(name.rawValue)=77")]
        var wire = TransportConfiguration()
        var configuration = HttpClientConfiguration()
        var timeouts = Timeouts()
        var events = EventStreamOptions()
        func values() -> [String] {
            ["\(wire.responses) \(wire.connections) \(timeouts) \(events) \(configuration.maximumBodySize)"]
        }
        let before = values()
        limits.apply(to: &wire)
        limits.apply(to: &configuration)
        limits.apply(to: &timeouts)
        limits.apply(to: &events)
        #expect(values() != before)
        #expect(values()[0].contains("77"))
    }

    @Test(arguments: [
        ("x=1", "it must be one of head-size"), ("head-size", "it must be one of"), ("head-size=x", "number of bytes"),
        ("head-size=0", "at least one byte"), ("head-fields=0", "greater than zero"), ("idle-time=0", "or none"),
        ("idle-time=-1", "or none"), ("head-size=9T", "at most"), ("connections=99999999999", "at most"),
    ])
    func `An invalid limit is refused`(argument: String, words: String) async throws {
        let outcome = try await Tool.run("get", "http://127.0.0.1:9/", "--limit", argument)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `The error for a large head names the option that raises its limit`() async throws {
        let field = "X-Long: " + String(repeating: "a", count: 80_000)
        let answer: Script = [
            .receiveHead, .send("HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: 2\r\n\r\nok"), .close,
        ]
        try await withScriptedServer([answer]) { server in
            let call = ["get", "http://\(server.authority)/"]
            let refused = try await Tool.run(call)
            #expect(refused.status == 63)
            #expect(refused.errors.contains("raise --limit head-size"), "\(refused.errors)")
            let outcome = try await Tool.run(call + ["--limit", "head-size=100K"])
            #expect(outcome.text == "ok", "\(outcome.errors)")
        }
    }

    @Test func `Plain http is sent to another computer as typed, but not with the token of a login`() async throws {
        let answer: Script = [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let environment = signIn.environment()
            try await withScriptedServer([answer]) { server in
                let url = "http://api.example.com:\(server.port)/"
                let call = ["get", url, "--resolve", "api.example.com:\(server.port):127.0.0.1"]
                #expect(try await Tool.run(call, environment: environment).text == "ok")
                let refused = try await Tool.run(call + ["--auth"], environment: environment)
                #expect(refused.status != 0)
                #expect(refused.errors.contains("use https"), "\(refused.errors)")
                #expect(server.requests.count == 1)
            }
        }
    }
}
