import SallyportTransport

/// The running attempts of a pool to open connections.
struct ConnectionAttempts {
    private var all: [ObjectIdentifier: ConnectionAttempt] = [:]
    /// The last attempt that was started for each exchange, by the identity of the exchange.
    private var ofExchange: [ObjectIdentifier: ConnectionAttempt] = [:]

    var count: Int { all.count }

    mutating func add(_ attempt: ConnectionAttempt) {
        all[ObjectIdentifier(attempt)] = attempt
        ofExchange[ObjectIdentifier(attempt.exchange)] = attempt
    }

    /// Removes an attempt.
    ///
    /// - Returns: `false` if it has been removed before.
    mutating func remove(_ attempt: ConnectionAttempt) -> Bool {
        guard all.removeValue(forKey: ObjectIdentifier(attempt)) != nil else { return false }
        let exchange = ObjectIdentifier(attempt.exchange)
        if ofExchange[exchange] === attempt { ofExchange[exchange] = nil }
        return true
    }

    /// Removes the attempt that was started for an exchange, or else any attempt to its origin.
    mutating func remove(for exchange: Exchange) -> ConnectionAttempt? {
        let origin = exchange.request.origin
        guard
            let attempt = ofExchange[ObjectIdentifier(exchange)] ?? all.values.first(where: { $0.origin == origin }),
            remove(attempt)
        else { return nil }
        return attempt
    }

    mutating func removeAll() -> [ConnectionAttempt] {
        defer { self = ConnectionAttempts() }
        return Array(all.values)
    }
}
