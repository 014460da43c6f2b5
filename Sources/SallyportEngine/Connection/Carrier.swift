/// What an exchange runs on: a connection of HTTP/1.1, or a stream of HTTP/2.
///
/// All of it may be called from any thread; what follows happens on the connection's event loop.
protocol Carrier: AnyObject, Sendable {
    /// Called when an exchange has been ended from outside: by cancellation, or because nobody reads on.
    func abandon(_ exchange: Exchange)

    /// Called when an exchange has room again for what it had stopped reading.
    func resumeReading(for exchange: Exchange)

    /// Sends what is put into an exchange's outbox; called again when more has come into one that was found empty.
    ///
    /// The outbox is stopped when the exchange is not run here any more.
    func send(_ body: Outbox, for exchange: Exchange)
}
