import InMemoryTracing
import Tracing

/// A tracer that propagates its context as W3C Trace Context, and keeps its spans in memory.
struct W3CTracer: Tracer {
    let memory = InMemoryTracer(
        idGenerator: InMemoryTracer.IDGenerator(
            nextTraceID: { W3CTracer.hexadecimal(16) },
            nextSpanID: { W3CTracer.hexadecimal(8) }
        )
    )
    /// The headers that are sent in addition to `traceparent`.
    var extras = ["tracestate": "vendor=1"]

    private static func hexadecimal(_ bytes: Int) -> String {
        (0..<bytes).map { _ in
            let digits = String(UInt8.random(in: 1...255), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    var spans: [FinishedInMemorySpan] { memory.finishedSpans }

    func startSpan(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> some TracerInstant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
        for (name, value) in extras { injector.inject(value, forKey: name, into: &carrier) }
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}
}

extension FinishedInMemorySpan {
    /// The `traceparent` header of a request with this span.
    var traceparent: String { "00-\(traceID)-\(spanID)-01" }

    /// An attribute as text.
    func attribute(_ name: String) -> String? {
        switch attributes.get(name) {
        case .string(let text)?: text
        case .int64(let number)?: "\(number)"
        case .int32(let number)?: "\(number)"
        case .stringArray(let texts)?: "\(texts)"
        case let other?: "\(other)"
        case nil: nil
        }
    }
}
