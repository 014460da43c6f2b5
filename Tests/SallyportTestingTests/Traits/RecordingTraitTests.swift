import Foundation
import Sallyport
import SallyportStorage
import SallyportTestTraits
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RecordingTraitTests {
    @Test(.recording("greeting") { $0.mode = .none })
    func `A test replays its recording beside the source file`() async throws {
        let client = try HttpClient.createClient { config in config.transport = try RecordingTransport.current }
        let response = try await client.request { request in request.url = "https://api.example.com/greeting?name=Ada" }
        #expect(response.bodyAsString() == #"{"text": "Hello, Ada"}"#)
    }

    /// Runs a closure as a test with the trait, and returns the messages of the issues that it records.
    private func issues(
        of trait: RecordingTrait,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> [String] {
        let messages = Locked<[String]>([])
        let test = try #require(Test.current)
        let testCase = try #require(Test.Case.current)
        try await withKnownIssue(isIntermittent: true) {
            try await trait.provideScope(for: test, testCase: testCase, performing: body)
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined(separator: "\n")
            messages.withLock { $0.append(issue.error.map { "\($0)" } ?? text) }
            return true
        }
        return messages.withLock { $0 }
    }

    @Test func `Each unmatched and each unused call is an issue of the test`() async throws {
        let found = try await issues(of: .recording("greeting") { $0.mode = .none }) {
            let transport = try RecordingTransport.current
            let client = HttpClient.createClient { config in config.transport = transport }
            _ = try? await client.request { request in request.url = "https://api.example.com/greeting?name=Bob" }
        }
        #expect(found.count == 2)
        #expect(found.first?.contains("query item name: recorded Ada, sent Bob") == true)
        #expect(
            found.last?.contains("Call 1 of greeting.har was not used: GET https://api.example.com/greeting?name=Ada.")
                == true
        )
    }

    @Test func `A test that throws has an issue for its unmatched call, and none for unused ones`() async throws {
        let found = try await issues(of: .recording("greeting") { $0.mode = .none }) {
            let transport = try RecordingTransport.current
            let client = HttpClient.createClient { config in config.transport = transport }
            _ = try await client.request { request in request.url = "https://api.example.com/greeting?name=Bob" }
        }
        #expect(found.count == 2)
        #expect(found.first?.contains("matches no call of greeting.har") == true)
        #expect(found.last?.contains("no call of the recording greeting.har matches") == true)
    }

    @Test func `A test is recorded at its first run, and not if it throws`() async throws {
        struct Failure: Error {}
        try await withTemporaryDirectory { folder in
            let source = folder.appendingPathComponent("Tests.swift").path
            let file = folder.appendingPathComponent("Recordings/new.har")
            let trait = RecordingTrait.recording("new", filePath: source) { options in
                options.mode = .once
                options.transport = MockTransport { _ in .text("hello") }
            }
            let call: @Sendable () async throws -> Void = {
                let transport = try RecordingTransport.current
                let client = HttpClient.createClient { config in config.transport = transport }
                let response = try await client.request { request in request.url = "https://api.example.com/" }
                #expect(response.bodyAsString() == "hello")
            }
            let failed = try await issues(of: trait) {
                try await call()
                throw Failure()
            }
            #expect(failed == ["Failure()"])
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(try await issues(of: trait, call) == [])
            #expect(FileManager.default.fileExists(atPath: file.path))
            #expect(try await issues(of: trait, call) == [])
        }
    }

    @Test(arguments: [1])
    func `A test with arguments is refused with advice`(number: Int) async throws {
        let found = try await issues(of: .recording("greeting") { $0.mode = .none }) {}
        #expect(found.count == 1)
        #expect(found.first?.contains(#"call withRecording("greeting-\(argument)") in the test"#) == true)
    }
}
