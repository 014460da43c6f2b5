// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores
// The differences of the C library of Apple platforms from that of Linux.
@_exported import Glibc

public let SOCK_STREAM: Int32 = 1

public let F_FULLFSYNC: Int32 = 51

public let RENAME_EXCL: Int32 = 4

public func renamex_np(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>, _ flags: UInt32) -> Int32 {
    fatalError()
}

public struct HandlerOfSigaction {
    public var __sa_handler: (@convention(c) (Int32) -> Void)?
}

extension sigaction {
    public var __sigaction_u: HandlerOfSigaction { HandlerOfSigaction() }
}

public let CTL_KERN: Int32 = 1
public let KERN_PROC: Int32 = 14
public let KERN_PROC_PID: Int32 = 1
public let P_TRACED: Int32 = 0x800

public struct extern_proc {
    public var p_flag: Int32 = 0
}

public struct kinfo_proc {
    public var kp_proc = extern_proc()
    public init() {}
}

public func sysctl(
    _ name: UnsafeMutablePointer<Int32>!,
    _ count: UInt32,
    _ old: UnsafeMutableRawPointer!,
    _ oldSize: UnsafeMutablePointer<Int>!,
    _ new: UnsafeMutableRawPointer!,
    _ newSize: Int
) -> Int32 {
    fatalError()
}
