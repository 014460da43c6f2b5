import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// The event loops of an engine in turn, each with the watch over its deadlines.
final class EventLoops: Sendable {
    struct Loop: Sendable {
        let eventLoop: any EventLoop
        /// To be used on the event loop only, which it checks.
        let watch: NIOLoopBoundBox<DeadlineWatch>
    }

    private let loops: [Loop]
    private let turn = NIOLockedValueBox(0)

    init(_ group: any EventLoopGroup) {
        loops = group.makeIterator().map { eventLoop in
            Loop(
                eventLoop: eventLoop,
                watch: NIOLoopBoundBox.makeBoxSendingValue(DeadlineWatch(eventLoop: eventLoop), eventLoop: eventLoop)
            )
        }
    }

    /// Where what belongs to no connection is timed.
    var first: any EventLoop { loops[0].eventLoop }

    /// The loop on which this is called, if it is one of these.
    var current: (any EventLoop)? { here?.eventLoop }

    private var here: Loop? {
        guard let current = MultiThreadedEventLoopGroup.currentEventLoop else { return nil }
        return loops.first { $0.eventLoop === current }
    }

    /// Who is on one of the loops already stays there.
    func next() -> Loop {
        here
            ?? loops[
                turn.withLockedValue { turn in
                    turn = (turn + 1) % loops.count
                    return turn
                }
            ]
    }
}
