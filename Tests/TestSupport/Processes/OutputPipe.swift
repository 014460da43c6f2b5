import Foundation

/// A pipe that collects the output of a process.
public final class OutputPipe: Sendable {
    private struct Output: Sendable {
        private(set) var data = Data()
        /// The positions of the line feeds.
        private(set) var lineEnds: [Int] = []
        var hasEnded = false

        mutating func append(_ chunk: Data) {
            for (offset, byte) in chunk.enumerated() where byte == UInt8(ascii: "\n") {
                lineEnds.append(data.count + offset)
            }
            data += chunk
        }

        /// Returns a complete line, or `nil` if there are fewer.
        func line(_ number: Int) -> String? {
            guard number <= lineEnds.count else { return nil }
            let start = number == 1 ? 0 : lineEnds[number - 2] + 1
            return String(decoding: data[start..<lineEnds[number - 1]], as: UTF8.self)
        }

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
                output.update { [chunk] output in output.append(chunk) }
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
    /// - Throws: ``DeadlineExceeded``, also if the output has ended before.
    public func line(_ number: Int) async throws -> String {
        try await output.wait("line \(number) of the output") { $0.hasEnded || $0.lineEnds.count >= number }
        guard let line = output.read({ $0.line(number) }) else {
            throw DeadlineExceeded(description: "the output ended before line \(number)")
        }
        return line
    }

    /// Closes the reading side, like a reader that needs no more output.
    public func abandon() throws {
        try pipe.fileHandleForReading.close()
        output.update { $0.hasEnded = true }
    }
}
