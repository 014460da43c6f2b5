import Foundation

/// Runs a closure with a port of 127.0.0.1 that is taken, but on which nobody listens.
public func withSilentPort(_ body: (Int) async throws -> Void) async throws {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, kind, 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutableBytes(of: &address) { bytes in
        let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
        guard let pointer, bind(descriptor, pointer, length) == 0, getsockname(descriptor, pointer, &length) == 0
        else { throw POSIXError(.EADDRNOTAVAIL) }
    }
    try await body(Int(UInt16(bigEndian: address.sin_port)))
}
