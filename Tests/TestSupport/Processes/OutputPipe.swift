import Foundation

/// A pipe that collects the output of a process.
public final class OutputPipe: Sendable {
    private struct Output: Sendable {
        var data = Data()
        var hasEnded = false

        var text: String { String(decoding: data, as: UTF8.self) }
    }

    /// The pipe to pass to the process.
    public let pipe = Pipe.closedOnExec()
    private let output = Watched(Output())

    /// Creates a pipe.
    public init() {}

    /// Starts reading, until the process closes its side.
    ///
    /// It reads on a thread, because a readability handler sometimes misses the end, and libdispatch crashes if a
    /// handler ends while another file gets the same descriptor. The descriptor is closed at the end: Foundation keeps the closures
    /// of detached threads, and `Process.run()` can crash in a process with more than 1,350 open descriptors.
    public func startReading() {
        Thread.detachNewThread { [pipe, output] in
            var chunk = pipe.fileHandleForReading.availableData
            while !chunk.isEmpty {
                output.update { [chunk] output in output.data += chunk }
                chunk = pipe.fileHandleForReading.availableData
            }
            try? pipe.fileHandleForReading.close()
            output.update { $0.hasEnded = true }
        }
    }

    /// Waits for the end of the output.
    ///
    /// - Returns: The whole output.
    public func whole(within limit: Duration = .patience) async throws -> Data {
        try await output.wait("the output to end", within: limit) { $0.hasEnded }
        return output.value.data
    }

    /// Waits until the output contains a text, or has ended.
    ///
    /// - Returns: The output so far.
    @discardableResult
    public func containing(_ text: String) async throws -> String {
        try await output.wait("\"\(text)\" in the output") { $0.hasEnded || $0.text.contains(text) }
        return output.value.text
    }

    /// Waits for a number of lines.
    ///
    /// - Returns: The last line.
    public func line(_ number: Int) async throws -> String {
        try await output.wait("line \(number) of the output") { $0.text.count { $0 == "\n" } >= number }
        return String(output.value.text.split(separator: "\n", omittingEmptySubsequences: false)[number - 1])
    }

    /// Closes the reading side, like a reader that needs no more output.
    public func abandon() throws {
        try pipe.fileHandleForReading.close()
        output.update { $0.hasEnded = true }
    }
}
