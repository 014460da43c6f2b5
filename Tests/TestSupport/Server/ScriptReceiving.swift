/// An error that is thrown when a script waits for bytes and the client has closed the connection.
struct ClientClosed: Error {}

extension ScriptedConnection {
    /// The maximum wait of a script, which exceeds the duration of any test, as the test's own waits have deadlines.
    private static let patience = Duration.seconds(600)

    func receive(until pattern: [UInt8]) async throws {
        state.update { $0.searched = $0.cursor }
        try await receive("\(pattern.count) particular bytes") { state in
            if let found = state.received.position(of: pattern, from: state.searched) {
                state.cursor = found + pattern.count
                return true
            }
            state.searched = max(state.cursor, state.received.count - pattern.count + 1)
            return false
        }
    }

    func receive(_ count: Int) async throws {
        try await receive("\(count) bytes") { state in
            guard state.received.count >= state.cursor + count else { return false }
            state.cursor += count
            return true
        }
    }

    func receiveRequest() async throws {
        try await receive("a request") { state in
            guard let end = ReceivedRequest.first(in: state.received[state.cursor...])?.end else { return false }
            state.cursor = end
            return true
        }
    }

    func receiveAll() async throws {
        try await state.wait("the client to close", within: Self.patience) { $0.isClosedByClient }
    }

    /// Waits for bytes.
    ///
    /// - Throws: An error if the client closes the connection without sending them.
    private func receive(_ what: String, until isMet: @escaping @Sendable (inout State) -> Bool) async throws {
        let start = state.read { $0.cursor }
        try await state.wait(what, within: Self.patience) { isMet(&$0) || $0.isClosedByClient }
        if state.read({ $0.isClosedByClient && $0.cursor == start }) { throw ClientClosed() }
    }
}
