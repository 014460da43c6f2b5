import NIOCore

/// Something with a deadline that moves. Both are asked and called on the watch's event loop only.
protocol Deadlined: AnyObject {
    var deadline: NIODeadline { get }
    func deadlinePassed(at now: NIODeadline)

    /// Its place in the watch, kept by the watch.
    var watchIndex: Int? { get set }
}

/// One coarse timer for all the deadlines of an event loop.
///
/// Deadlines mostly move away before they pass: a request ends, a byte arrives. So nothing is scheduled or cancelled
/// when they move; when the timer fires, it looks at where each deadline is by then.
final class DeadlineWatch {
    private let eventLoop: any EventLoop
    private var entries: [any Deadlined] = []
    private var nextLook = NIODeadline.distantFuture

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func add(_ entry: any Deadlined) {
        eventLoop.assertInEventLoop()
        entry.watchIndex = entries.count
        entries.append(entry)
        lookBefore(entry.deadline)
    }

    func remove(_ entry: any Deadlined) {
        eventLoop.assertInEventLoop()
        guard let index = entry.watchIndex else { return }
        entry.watchIndex = nil
        let last = entries.removeLast()
        if last !== entry {
            entries[index] = last
            last.watchIndex = index
        }
    }

    /// To be called when a deadline may have moved nearer.
    func lookBefore(_ deadline: NIODeadline) {
        guard deadline < nextLook else { return }
        nextLook = deadline
        _ = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.look() }
    }

    private func look() {
        let now = NIODeadline.now()
        guard now >= nextLook else { return }
        nextLook = .distantFuture
        for entry in entries where entry.deadline <= now { entry.deadlinePassed(at: now) }
        let nearest = entries.lazy.map(\.deadline).min() ?? .distantFuture
        if nearest < .distantFuture { lookBefore(max(nearest, now + .milliseconds(1))) }
    }
}
