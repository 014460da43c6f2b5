import Foundation

/// Runs a closure with a port of 127.0.0.1 that is in use, but has no listener.
public func withSilentPort(_ body: (Int) async throws -> Void) async throws {
    let socket = try BoundSocket(port: 0)
    defer { socket.close() }
    try await body(socket.port)
}

/// Returns a port of 127.0.0.1 that is not in use.
///
/// It is outside the range from which systems choose ports for connections, so that it is not taken before the test uses it.
public func unusedPort() throws -> Int {
    for _ in 0..<100 {
        guard let socket = try? BoundSocket(port: .random(in: 20_000..<32_768)) else { continue }
        defer { socket.close() }
        return socket.port
    }
    throw POSIXError(.EADDRNOTAVAIL)
}

/// A socket with an address of 127.0.0.1 that accepts no connections.
private struct BoundSocket {
    private let descriptor: Int32
    let port: Int

    /// - Parameter port: The port, or 0 for one that the system chooses.
    init(port: Int) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = UInt16(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        guard result == 0 else {
            close()
            throw POSIXError(.EADDRNOTAVAIL)
        }
    }

    func close() {
        _ = Foundation.close(descriptor)
    }
}
