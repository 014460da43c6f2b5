import TestSupport

/// What the server of a conformance case speaks.
public enum ConformanceWire: Sendable, CaseIterable {
    /// HTTP/1.1, over TLS where the case says so.
    case http1
    /// HTTP/2 over TLS, chosen by ALPN.
    case http2
    /// HTTP/2 in cleartext, with prior knowledge.
    case http2Cleartext
}

/// For which wires a case makes sense.
struct ConformanceScope: Sendable {
    private let wires: Set<ConformanceWire>

    func includes(_ wire: ConformanceWire) -> Bool { wires.contains(wire) }

    static let anyVersion = ConformanceScope(wires: Set(ConformanceWire.allCases))

    /// A case of HTTP/1.1 alone, with the reason.
    static func http1Only(_ reason: StaticString) -> ConformanceScope { ConformanceScope(wires: [.http1]) }

    /// A case of both versions that is about TLS.
    static let overTLS = ConformanceScope(wires: [.http1, .http2])

    static let http2Only = ConformanceScope(wires: [.http2, .http2Cleartext])
}
