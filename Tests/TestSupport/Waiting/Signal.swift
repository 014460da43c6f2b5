/// Something that a test lets happen once, and others wait for.
public final class Signal: Sendable {
    private let fired = Watched(false)

    /// Makes a signal that has not been given.
    public init() {}

    /// Gives the signal; further times have no effect.
    public func fire() {
        fired.update { $0 = true }
    }

    /// Waits until the signal has been given.
    public func wait(within limit: Duration = .patience) async throws {
        try await fired.wait("a signal", within: limit) { $0 }
    }
}
