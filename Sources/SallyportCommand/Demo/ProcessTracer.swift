import Foundation

/// Traces another process on Linux. The process does not stop.
final class ProcessTracer: Sendable {
    /// Ends the thread that traces.
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the tracing, which the system ends with the thread that requested it.
    ///
    /// - Parameter process: The identifier of a child process.
    /// - Returns: `nil` if the system does not allow it.
    init?(of process: Int32) async {
        #if os(Linux)
        typealias Trace = @convention(c) @Sendable (Int, Int, Int, Int) -> Int
        let seize = 0x4206  // PTRACE_SEIZE
        // Swift does not import the C function, because it is variadic.
        guard let trace = dlsym(nil, "ptrace").map({ unsafeBitCast($0, to: Trace.self) }) else { return nil }
        let isTracing = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            Thread.detachNewThread { [ended] in
                let isTracing = trace(seize, Int(process), 0, 0) == 0
                continuation.resume(returning: isTracing)
                if isTracing { ended.wait() }
            }
        }
        if !isTracing { return nil }
        #else
        return nil
        #endif
    }

    deinit {
        ended.signal()
    }

    /// Ends the tracing.
    func end() {
        ended.signal()
    }
}
