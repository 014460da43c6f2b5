#if canImport(Darwin)
import Darwin
import MachO

/// The facts about this process that Apple's kernel and loader provide.
enum ProcessTracing {
    /// A Boolean value that indicates whether a debugger traces the process; `nil` if the system does not provide it.
    static var isTraced: Bool? {
        var name = [CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()]
        var info = kinfo_proc()
        var size = MemoryLayout<kinfo_proc>.stride
        guard sysctl(&name, UInt32(name.count), &info, &size, nil, 0) == 0 else { return nil }
        return info.kp_proc.p_flag & P_TRACED != 0
    }

    /// The paths of the loaded libraries.
    static var loadedImages: [String] {
        (0..<_dyld_image_count()).compactMap { index in _dyld_get_image_name(index).map { String(cString: $0) } }
    }
}
#endif
