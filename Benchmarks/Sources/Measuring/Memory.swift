import Glibc

/// The memory of this process, as reported by Linux.
package enum Memory: String {
    case resident = "VmRSS:"
    /// The peak resident memory. (`ru_maxrss` would start with the value of the parent process.)
    case peak = "VmHWM:"

    /// Returns a value in KiB.
    package var kib: Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix(rawValue) { return text.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0 }
        }
        return 0
    }
}
