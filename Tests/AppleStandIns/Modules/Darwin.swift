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
