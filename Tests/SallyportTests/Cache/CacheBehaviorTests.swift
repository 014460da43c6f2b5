import TestSupport
import Testing

/// The behaviours of the cache, each with the section of RFC 9111 (or of the named RFC) from which it follows, over a real connection.
@Suite(.concurrencyLimited) struct CacheBehaviorTests {
    @Test(arguments: storingBehaviors)
    func `Responses are stored as section 3 requires`(behavior: CacheBehavior) async throws {
        try await behavior.check()
    }

    @Test(arguments: selectionBehaviors)
    func `Stored responses are selected by URL, method, user and Vary`(behavior: CacheBehavior) async throws {
        try await behavior.check()
    }

    @Test(arguments: freshnessBehaviors)
    func `Lifetime and age are calculated as section 4.2 requires`(behavior: CacheBehavior) async throws {
        try await behavior.check()
    }

    @Test(arguments: validationBehaviors)
    func `Stored responses are validated, updated and removed`(behavior: CacheBehavior) async throws {
        try await behavior.check()
    }

    @Test(arguments: directiveBehaviors)
    func `The directives of requests and responses are respected`(behavior: CacheBehavior) async throws {
        try await behavior.check()
    }

    @Test(arguments: conditionalBehaviors)
    func `Ranges and conditions of the app are answered from fresh responses`(behavior: CacheBehavior) async throws {
        try await behavior.check()
    }

    @Test func `The table has at least 150 behaviours`() {
        let tables = [
            storingBehaviors, selectionBehaviors, freshnessBehaviors, validationBehaviors, directiveBehaviors,
            conditionalBehaviors,
        ]
        #expect(tables.map(\.count).reduce(0, +) >= 150)
    }
}
