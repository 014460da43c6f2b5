// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// A lock around a value.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    public init(initialState: State) where State: Sendable { fatalError() }

    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result { fatalError() }
}
