import Foundation
import SallyportTransport

/// Detects a debugger or another process that traces this one (ptrace).
package struct DebuggerProbe: IntegrityProbe {
    private let files: any IntegrityFiles

    package var check: IntegrityCheck { .debugger }

    package init(files: any IntegrityFiles) {
        self.files = files
    }

    package func run() throws(IntegrityError) {
        #if canImport(Darwin)
        switch ProcessTracing.isTraced {
        case true?: throw .debuggerAttached("the process is traced")
        case false?: return
        case nil: throw .undetermined(.debugger, reason: "the system denies information about this process")
        }
        #else
        try runWithProc()
        #endif
    }

    /// Reads the identifier of the tracing process from Linux's `/proc/self/status`; it is 0 if there is none (proc(5)).
    package func runWithProc() throws(IntegrityError) {
        let label = "TracerPid:"
        guard let status = files.contents(of: "/proc/self/status"),
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
                .first(where: { $0.hasPrefix(label) }),
            let tracer = Int(line.dropFirst(label.count).trimmingCharacters(in: .whitespaces))
        else { throw .undetermined(.debugger, reason: "/proc/self/status cannot be read") }
        guard tracer != 0 else { return }
        let name = files.contents(of: "/proc/\(tracer)/comm").map { String(decoding: $0, as: UTF8.self) } ?? ""
        let visible = VisibleText.line(name.trimmingCharacters(in: .whitespacesAndNewlines), longest: 40)
        throw .debuggerAttached("\(visible.isEmpty ? "a program" : visible) (process \(tracer))")
    }
}
