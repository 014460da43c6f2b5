import Foundation
import Synchronization
import Tracing

/// A tracer that keeps finished spans in memory until they are exported, and propagates their context as W3C Trace Context.
final class OTLPTracer: Tracer {
    private let finished = Mutex<[FinishedSpan]>([])

    /// Returns the finished spans, and forgets them.
    func takeSpans() -> [FinishedSpan] {
        finished.withLock { finished in
            defer { finished = [] }
            return finished
        }
    }

    func startSpan(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> some TracerInstant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> OTLPSpan {
        var context = context()
        let parent = context.traceParent
        let own = TraceParent(traceID: parent?.traceID ?? .random(bytes: 16), spanID: .random(bytes: 8))
        context.traceParent = own
        let record = FinishedSpan(
            traceId: own.traceID,
            spanId: own.spanID,
            parentSpanId: parent?.spanID,
            name: operationName,
            kind: kind.number,
            startTimeUnixNano: "\(instant().nanosecondsSinceEpoch)"
        )
        return OTLPSpan(context: context, record: record) { span in
            self.finished.withLock { $0.append(span) }
        }
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let parent = context.traceParent else { return }
        injector.inject("00-\(parent.traceID)-\(parent.spanID)-01", forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}
}

/// A span that has not ended.
final class OTLPSpan: Tracing.Span {
    private struct State: Sendable {
        var record: FinishedSpan
        var attributes = SpanAttributes()
        var isEnded = false
    }

    let context: ServiceContext
    private let state: Mutex<State>
    private let onEnd: @Sendable (FinishedSpan) -> Void

    init(context: ServiceContext, record: FinishedSpan, onEnd: @escaping @Sendable (FinishedSpan) -> Void) {
        self.context = context
        self.onEnd = onEnd
        state = Mutex(State(record: record))
    }

    var operationName: String {
        get { state.withLock { $0.record.name } }
        set { state.withLock { $0.record.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    var isRecording: Bool { state.withLock { !$0.isEnded } }

    func setStatus(_ status: SpanStatus) {
        let isError = status.code == .error
        state.withLock { $0.record.status = .init(code: isError ? 2 : 1, message: status.message) }
    }

    func addEvent(_ event: SpanEvent) {}

    func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {}

    func addLink(_ link: SpanLink) {}

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let time = instant().nanosecondsSinceEpoch
        let record: FinishedSpan? = state.withLock { state in
            if state.isEnded { return nil }
            state.isEnded = true
            state.record.endTimeUnixNano = "\(time)"
            var attributes: [OTLPAttribute] = []
            state.attributes.forEach { name, value in attributes.append(OTLPAttribute(name, value.exported)) }
            state.record.attributes = attributes
            return state.record
        }
        if let record { onEnd(record) }
    }
}

/// A span as it is exported. The names of the members are those of the protocol.
struct FinishedSpan: Encodable {
    struct Status: Encodable {
        let code: Int
        let message: String?
    }

    let traceId: String
    let spanId: String
    let parentSpanId: String?
    var name: String
    let kind: Int
    let startTimeUnixNano: String
    var endTimeUnixNano = ""
    var attributes: [OTLPAttribute] = []
    var status: Status?
}

/// The identifiers in a `traceparent` header.
private struct TraceParent: Sendable {
    let traceID: String
    let spanID: String
}

private enum TraceParentKey: ServiceContextKey {
    typealias Value = TraceParent
}

extension ServiceContext {
    fileprivate var traceParent: TraceParent? {
        get { self[TraceParentKey.self] }
        set { self[TraceParentKey.self] = newValue }
    }
}

extension String {
    /// Returns random bytes as hexadecimal digits. The identifiers of W3C Trace Context must not be zero.
    fileprivate static func random(bytes: Int) -> String {
        (0..<bytes).map { _ in String(format: "%02x", Int.random(in: 1...255)) }.joined()
    }
}

extension SpanKind {
    /// The number of the kind in the protocol.
    fileprivate var number: Int {
        switch self {
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        default: 1
        }
    }
}

extension SpanAttribute {
    fileprivate var exported: OTLPAttribute.Value {
        switch self {
        case .int32(let number): .int(Int64(number))
        case .int64(let number): .int(number)
        case .string(let text): .string(text)
        case .stringArray(let texts): .strings(texts)
        default: .string("\(self)")
        }
    }
}
