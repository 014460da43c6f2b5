// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores
// What the C library of Apple's systems has otherwise than that of Linux.
@_exported import Glibc

public let SOCK_STREAM: Int32 = 1

public let F_FULLFSYNC: Int32 = 51

public struct HandlerOfSigaction {
    public var __sa_handler: (@convention(c) (Int32) -> Void)?
}

extension sigaction {
    public var __sigaction_u: HandlerOfSigaction { HandlerOfSigaction() }
}
