import Sallyport
import Tracing

extension RequestTracing {
    /// Records a span for each phase of opening a connection, below the span of the request that was the first to use it.
    func recordPhases(of connection: ConnectionFacts, in parent: any Tracing.Span) {
        guard let start = connection.openingStart else { return }
        // The phases have been measured by a clock that spans do not use.
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch
        var time = now - min(now, UInt64(max(0, (ContinuousClock.now - start).nanoseconds)))
        for phase in [Phase.resolve, .connect, .tls] {
            guard let duration = phase.duration(in: connection) else { continue }
            let span: any Tracing.Span = tracer.startSpan(
                phase.rawValue,
                context: parent.context,
                ofKind: .internal,
                at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: time)
            )
            time += UInt64(max(0, duration.nanoseconds))
            span.updateAttributes { attributes in phase.set(connection, in: &attributes) }
            span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: time))
        }
    }
}

/// A phase of opening a connection; its raw value is the name of its span.
private enum Phase: String {
    case resolve, connect, tls

    func duration(in connection: ConnectionFacts) -> Duration? {
        switch self {
        case .resolve: connection.resolve
        case .connect: connection.connect
        case .tls: connection.tls
        }
    }

    func set(_ connection: ConnectionFacts, in attributes: inout SpanAttributes) {
        switch self {
        case .resolve: break
        case .connect: attributes.setPeer(of: connection)
        case .tls:
            attributes[Attribute.tlsProtocolName] = "tls"
            attributes[Attribute.tlsProtocolVersion] = connection.tlsVersion.map { version in
                let number = String(version.dropFirst("TLSv".count))
                return number.contains(".") ? number : number + ".0"
            }
        }
    }
}

extension SpanAttributes {
    /// Sets the address and port of the server, or of the proxy through which it is connected.
    mutating func setPeer(of connection: ConnectionFacts) {
        guard let peer = connection.remoteAddress.flatMap({ HostAndPort($0[...]) }) else { return }
        self[Attribute.peerAddress] = peer.host
        self[Attribute.peerPort] = peer.port
    }
}

extension Duration {
    /// The duration in nanoseconds.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
