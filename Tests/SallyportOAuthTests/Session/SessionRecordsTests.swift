import Foundation
import SallyportStorage
import Testing
import TestSupport

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct SessionRecordsTests {
    @Test func `Forgetting saved tokens keeps those that the store could not save`() {
        let state = Locked(OAuthSession.State())
        let records = SessionRecords(
            store: MemoryTokenStore(),
            refresher: ScriptedRefresher { _, tokens in tokens },
            refreshAhead: .seconds(60),
            state: state,
            now: { Date() }
        )
        records.cache(.number(1), refreshDue: nil)
        records.forgetSaved()
        #expect(state.withLock { $0.tokens } == nil)
        records.keepUnsaved(TokenRecord(tokens: .number(2)), replacing: nil, refreshDue: .distantFuture)
        records.forgetSaved()
        #expect(records.unsaved?.record.tokens.accessToken == "canary-access-2")
        #expect(state.withLock { $0.tokens?.accessToken } == "canary-access-2")
        records.forget()
        #expect(records.unsaved == nil)
    }
}
