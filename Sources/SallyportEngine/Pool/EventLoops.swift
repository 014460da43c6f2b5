import NIOCore
import NIOPosix

/// The event loops of an engine, each with its deadline watch and its delivery of responses.
final class EventLoops: Sendable {
    struct Loop: Sendable {
        let eventLoop: any EventLoop
        /// The watch, which may only be used on the event loop. The box verifies this.
        let watch: NIOLoopBoundBox<DeadlineWatch>
        /// The delivery, which may only be used on the event loop.
        let delivery: NIOLoopBoundBox<ResponseDelivery>
    }

    private let loops: [Loop]

    init(_ group: any EventLoopGroup) {
        loops = group.makeIterator().map { eventLoop in
            Loop(
                eventLoop: eventLoop,
                watch: NIOLoopBoundBox.makeBoxSendingValue(DeadlineWatch(eventLoop: eventLoop), eventLoop: eventLoop),
                delivery: NIOLoopBoundBox.makeBoxSendingValue(
                    ResponseDelivery(eventLoop: eventLoop),
                    eventLoop: eventLoop
                )
            )
        }
    }

    /// The event loop for timers that belong to no connection.
    var first: any EventLoop { loops[0].eventLoop }

    /// The identity of the event loop of the calling thread; `nil` on other threads.
    static var current: ObjectIdentifier? { MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) } }

    /// Returns the loop for a new connection: the current one, or else one that depends on the number of other exchanges.
    ///
    /// Concurrent exchanges are divided among the loops. The connections of consecutive exchanges share a loop, because waking a thread
    /// that has slept longer costs more.
    func loop(with otherExchanges: Int) -> Loop {
        if let current = Self.current, let loop = loops.first(where: { ObjectIdentifier($0.eventLoop) == current }) {
            return loop
        }
        return loops[otherExchanges % loops.count]
    }
}
