import Foundation
import SallyportStorage

extension Process {
    private static let starting = Locked(())

    /// Starts the process while no other one is being started.
    ///
    /// On Linux, Foundation learns of the end of a process when a socket in it is closed. A process that another thread starts at the same
    /// time can inherit this socket, and the end of the first is then reported only when the other one has ended, too.
    public func start() throws {
        try Self.starting.withLock { _ in try run() }
    }
}
