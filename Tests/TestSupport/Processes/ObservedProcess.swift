import Foundation

/// The programs and settings that integrity checks find, and that the tests themselves can run with.
public enum ObservedProcess {
    /// A Boolean value that indicates whether this process, and those that it starts, are traced or get additional libraries.
    public static let isCurrent = isTraced || hasAdditionalLibraries

    private static var isTraced: Bool {
        let tracer = text(of: "/proc/self/status").split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
        return tracer.map { !$0.hasSuffix("\t0") } ?? false
    }

    private static var hasAdditionalLibraries: Bool {
        let variables = ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"]
        return variables.contains { ProcessInfo.processInfo.environment[$0]?.isEmpty == false }
            || !text(of: "/etc/ld.so.preload").allSatisfy(\.isWhitespace)
    }

    private static func text(of file: String) -> String {
        (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    }
}
