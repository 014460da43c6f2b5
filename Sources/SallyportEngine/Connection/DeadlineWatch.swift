import NIOCore

/// An object with a deadline that moves. Its members are used on the watch's event loop only.
protocol Deadlined: AnyObject {
    var deadline: NIODeadline { get }
    func deadlinePassed(at now: NIODeadline)

    /// The object's index in the watch, which only the watch changes.
    var watchIndex: Int? { get set }
}

/// A single coarse timer for all the deadlines of an event loop.
///
/// Most deadlines move before they pass: a request ends, a byte arrives. Moving one therefore schedules and cancels
/// nothing. When the timer fires, it checks all current deadlines.
final class DeadlineWatch {
    private let eventLoop: any EventLoop
    private var entries: [any Deadlined] = []
    private var nextCheck = NIODeadline.distantFuture

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func add(_ entry: any Deadlined) {
        eventLoop.assertInEventLoop()
        entry.watchIndex = entries.count
        entries.append(entry)
        check(before: entry.deadline)
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

    /// Schedules a check at a deadline. Must be called whenever a deadline may have moved to an earlier time.
    func check(before deadline: NIODeadline) {
        guard deadline < nextCheck else { return }
        nextCheck = deadline
        _ = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.checkAll() }
    }

    private func checkAll() {
        let now = NIODeadline.now()
        guard now >= nextCheck else { return }
        nextCheck = .distantFuture
        for entry in entries where entry.deadline <= now { entry.deadlinePassed(at: now) }
        let nearest = entries.lazy.map(\.deadline).min() ?? .distantFuture
        if nearest < .distantFuture { check(before: max(nearest, now + .milliseconds(1))) }
    }
}
