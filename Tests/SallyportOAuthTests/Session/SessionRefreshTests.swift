import Foundation
import Logging
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct SessionRefreshTests {
    @Test(arguments: [(TokenStoreError.Reason.timedOut, true), (.cannotWrite, false)])
    func `After the limit, a second attempt to save new tokens is made if the store was unavailable`(
        reason: TokenStoreError.Reason,
        isSaved: Bool
    ) async throws {
        // The first save marks the record, and the second is that of the new tokens.
        let store = WatchedStore(.ended) { number in
            if number == 2 { throw TokenStoreError(reason, "the connection was lost") }
        }
        let refresh = refresh(with: store)
        _ = await refresh.run {}
        #expect(store.saved.value.count == (isSaved ? 3 : 2))
        #expect((refresh.records.unsaved == nil) == isSaved)
    }

    @Test func `Tokens that cannot be saved before the program ends are an error`() async throws {
        let store = WatchedStore(.ended) { number in
            if number > 1 { throw TokenStoreError(.cannotWrite, "the disk is full") }
        }
        let refresh = refresh(with: store)
        _ = await refresh.run {}
        await expectError(\OAuthSessionError.kind, "store") { try await refresh.saveRemaining() }
        #expect(refresh.records.unsaved != nil)
    }

    private func refresh(with store: WatchedStore) -> SessionRefresh {
        let refresher = ScriptedRefresher { _, _ in .number(2) }
        let records = SessionRecords(
            store: store,
            refresher: refresher,
            refreshAhead: .seconds(60),
            state: Locked(OAuthSession.State()),
            now: { Date() }
        )
        return SessionRefresh(
            records: records,
            refresher: refresher,
            limit: .seconds(60),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            saveLimit: .zero,
            finalSaveLimit: .zero
        )
    }
}
