@_exported import SallyportTesting
import Testing

/// A trait that lets a test record its calls once, and replay them afterwards: `.recording("name")`.
public struct RecordingTrait: TestTrait, TestScoping {
    fileprivate let name: String
    fileprivate let filePath: String
    fileprivate let configure: @Sendable (inout RecordingOptions) -> Void

    /// Runs a test with its recording. Each call that is not recorded, and each recorded call that is not used, is an issue of the test.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        if testCase?.isParameterized == true { throw RecordingError.parameterizedTest(name: name) }
        let file = try RecordingFile.url(name, besideSource: filePath)
        let transport = try RecordingTransport(file: file, configure: configure)
        do {
            try await transport.bind(function)
        } catch {
            // The calls after the failure are missing. What was recorded before it is not stored.
            transport.close()
            for mismatch in transport.mismatches {
                if case .unmatched = mismatch { record(mismatch, of: test) }
            }
            throw error
        }
        do throws(RecordingError) {
            try await transport.finish()
        } catch .mismatches(let mismatches) {
            for mismatch in mismatches { record(mismatch, of: test) }
        }
    }

    private func record(_ mismatch: RecordingMismatch, of test: Test) {
        Issue.record("\(mismatch.description)", sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == RecordingTrait {
    /// Records the calls of a test in a file at its first run, and replays them afterwards without a network.
    ///
    /// ```swift
    /// @Test(.recording("users")) func userHasName() async throws {
    ///     let client = try HttpClient.createClient { config in
    ///         config.transport = try RecordingTransport.current
    ///     }
    ///     let response = try await client.request { request in request.url = "https://api.example.com/users/7" }
    ///     #expect(response.bodyAsString().contains("John Doe"))
    /// }
    /// ```
    ///
    /// Nothing is stored if the test throws an error while it is recorded. A test with arguments calls `withRecording` instead.
    ///
    /// - Parameters:
    ///   - name: The name of the file without its extension, in the folder `Recordings` beside the source file. It may be a path below it.
    ///   - filePath: The path of the source file.
    ///   - configure: A closure that changes the settings.
    public static func recording(
        _ name: String,
        filePath: String = #filePath,
        configure: @escaping @Sendable (inout RecordingOptions) -> Void = { _ in }
    ) -> RecordingTrait {
        RecordingTrait(name: name, filePath: filePath, configure: configure)
    }
}
