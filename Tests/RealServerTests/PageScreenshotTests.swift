import Foundation
import TestSupport
import Testing

/// Checks the gateway's pages in a real browser at 360 and 1280 px, in light and dark mode.
@Suite(
    .concurrencyLimited,
    .serialized,
    .enabled(if: RealBrowser.pageCheck != nil, "run .ci/real-servers to have Chromium ready")
)
struct PageScreenshotTests {
    @Test(arguments: [RealBrowser.pageCheck, RealBrowser.gatewayCheck])
    func `The pages have no layout faults, both as files and in a running gateway`(check: String?)
        async throws
    {
        let words = try #require(check).split(separator: " ").map(String.init)
        let (status, output) = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "test.blocking").async { continuation.resume(with: Result { try Self.run(words) }) }
        }
        #expect(status == 0, "\(output)")
        #expect(output.contains("pictures in"), "\(output)")
    }

    private static func run(_ words: [String]) throws -> (Int32, String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: words.first ?? "")
        process.arguments = Array(words.dropFirst())
        process.standardOutput = pipe
        process.standardError = pipe
        try process.start()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }
}
