import Foundation
import Sallyport
import SallyportTransport

/// New tokens that the store did not take, and those that it holds instead.
struct UnsavedTokens: Sendable {
    let record: TokenRecord
    let replaced: OAuthTokens
}

/// One refresh, from the store and back to it.
///
/// All of it happens with exclusive access to the store. Before the request is sent, the record is marked
/// (``TokenRecord/refreshBegan``); the new tokens replace the old ones before anybody gets them. So after a crash the store
/// has the old tokens, with the mark if the server may have replaced them, or the new ones. A marked record is refreshed
/// at once, as servers repeat the response to a refresh token that they replaced for a few seconds only.
extension OAuthSession {
    /// How soon after a failure a refresh is tried again while the old tokens can still be used.
    private static let pause: TimeInterval = 5

    /// Refreshes the tokens unless another process has done so.
    ///
    /// - Returns: The tokens to go on with, and whether the server has just issued them.
    func renewed() async -> (Outcome, isNew: Bool) {
        do {
            return try await store.withExclusiveAccess { await self.renewedAlone() }
        } catch {
            let error = OAuthSessionError(ofStore: error)
            logger.warning("The tokens could not be reached: \(error)")
            guard let kept = try? await loadRecord() else { return (.failure(error), false) }
            return (stillValid(kept, or: error), false)
        }
    }

    private func renewedAlone() async -> (Outcome, isNew: Bool) {
        let kept: TokenRecord?
        do throws(OAuthSessionError) {
            kept = try await loadNewest()
        } catch {
            logger.warning("Nothing is refreshed: \(error)")
            return (.failure(error), false)
        }
        guard let kept else {
            know(nil, due: nil)
            return (.failure(.nobody), false)
        }
        let isUnsaved = unsaved.withLock { $0 != nil }
        if let tokens = stillFresh(kept, isUnsaved: isUnsaved) { return (.success(tokens), false) }
        know(kept, due: .distantPast)
        guard refresher.canRefresh(kept.tokens) else { return (stillValid(kept, or: .endOfTokens), false) }
        do {
            var marked = kept
            marked.refreshBegan = kept.refreshBegan ?? now()
            // Not even asked for, unless what comes can be kept: a disk that is full says so here.
            try await store.save(marked)
        } catch {
            logger.warning("Nothing is refreshed, as the store cannot be written: \(OAuthSessionError(ofStore: error))")
            return (stillValid(kept, or: OAuthSessionError(ofStore: error)), false)
        }
        return await renewed(kept)
    }

    /// Returns the record in the store, or the newer one that could not be saved.
    func loadNewest() async throws(OAuthSessionError) -> TokenRecord? {
        let kept = try await loadRecord()
        guard let unsaved = unsaved.withLock({ $0 }) else { return kept }
        if let kept, kept.tokens == unsaved.replaced {
            if (try? await store.save(unsaved.record)) == nil { return unsaved.record }
        }
        let isNewer = kept?.tokens == unsaved.replaced
        self.unsaved.withLock { $0 = nil }
        return isNewer ? unsaved.record : kept
    }

    /// Returns the tokens if they need no refresh, as after one by another process.
    private func stillFresh(_ kept: TokenRecord, isUnsaved: Bool) -> OAuthTokens? {
        var due = kept.refreshDue(ahead: refreshAhead)
        let now = now()
        guard kept.refreshBegan == nil, !isRejected(kept.tokens), due.map({ now < $0 }) ?? true else { return nil }
        if isUnsaved { due = min(due ?? .distantFuture, now + Self.pause) }
        know(kept, due: due)
        return kept.tokens
    }

    /// The tokens, if they can be used although their refresh failed; else the error.
    private func stillValid(_ kept: TokenRecord, or error: OAuthSessionError) -> Outcome {
        let now = now()
        let end = kept.tokens.expiresAt ?? .distantFuture
        if now >= end || isRejected(kept.tokens) { return .failure(error) }
        know(kept, due: min(end, now + Self.pause))
        return .success(kept.tokens)
    }

    /// Asks the server.
    private func renewed(_ kept: TokenRecord) async -> (Outcome, isNew: Bool) {
        logger.debug("The tokens are refreshed")
        do {
            let tokens = try await refreshInTime(kept.tokens).completed(by: kept.tokens)
            let record = TokenRecord(tokens: tokens, client: kept.client, obtainedAt: now())
            await keep(record, replacing: kept.tokens)
            return (.success(tokens), true)
        } catch let error as OAuthError where error.error == "invalid_grant" {
            return (await ended(error, kept), false)
        } catch let error as OAuthError {
            logger.warning("The tokens could not be refreshed: \(error)")
            var kept = kept
            if let refreshToken = error.issuedRefreshToken {
                // The server has replaced the old one. Nothing else of a refused response is used.
                let replaced = kept.tokens
                kept.tokens.refreshToken = refreshToken
                kept.refreshBegan = nil
                await keep(kept, replacing: replaced)
            } else if let status = error.status, (400..<500).contains(status) {
                await unmark(kept)
            }
            return (stillValid(kept, or: .refused(error)), false)
        } catch {
            let error = NetworkError(wrapping: error, reason: "the refresh failed")
            logger.warning("The tokens could not be refreshed: \(error)")
            if !error.mayHaveReachedServer { await unmark(kept) }
            return (stillValid(kept, or: .network(error)), false)
        }
    }

    /// Refreshes the tokens within ``refreshLimit``.
    ///
    /// When the limit is reached, the refresher is cancelled. If the server has answered by then, as when the validation of
    /// the response takes too long, the result of the refresher counts all the same.
    private func refreshInTime(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        try await withThrowingTaskGroup(of: OAuthTokens?.self) { group in
            group.addTask { try await self.refresher.refresh(tokens) }
            group.addTask {
                try? await Task.sleep(for: self.refreshLimit)
                return nil
            }
            defer { group.cancelAll() }
            if let tokens = try await group.next() ?? nil { return tokens }
            group.cancelAll()
            do {
                if let tokens = try await group.next() ?? nil { return tokens }
            } catch let error as OAuthError {
                throw error
            } catch {}
            throw NetworkError.timeout(NetworkFailure("the refresh took longer than \(refreshLimit)"))
        }
    }

    /// Saves a new record, or keeps it in memory if the store fails repeatedly.
    private func keep(_ record: TokenRecord, replacing replaced: OAuthTokens) async {
        var due = record.refreshDue(ahead: refreshAhead)
        for pause in [Duration.milliseconds(50), .milliseconds(200), nil] {
            do {
                try await store.save(record)
                unsaved.withLock { $0 = nil }
                know(record, due: due)
                return logger.debug("The tokens are kept")
            } catch {
                logger.error(
                    "The new tokens could not be kept, and live in memory alone: \(OAuthSessionError(ofStore: error))"
                )
                if let pause { try? await Task.sleep(for: pause) }
            }
        }
        unsaved.withLock { $0 = UnsavedTokens(record: record, replaced: replaced) }
        due = min(due ?? .distantFuture, now() + Self.pause)
        know(record, due: due)
    }

    /// Removes the tokens of a session that the server has ended, unless somebody has replaced them without exclusive access.
    private func ended(_ error: OAuthError, _ kept: TokenRecord) async -> Outcome {
        do throws(OAuthSessionError) {
            if let record = try await loadRecord(), record.tokens.refreshToken != kept.tokens.refreshToken,
                let tokens = stillFresh(record, isUnsaved: false)
            {
                return .success(tokens)
            }
        } catch {
            if case .otherClient = error { return .failure(error) }
        }
        do {
            try await store.delete()
        } catch {
            logger.error(
                "The tokens of a session that has ended could not be removed: \(OAuthSessionError(ofStore: error))"
            )
        }
        unsaved.withLock { $0 = nil }
        know(nil, due: nil)
        let error = OAuthSessionError.ended(error, answerLostAt: kept.refreshBegan)
        logger.notice("The session has ended: \(error)")
        return .failure(error)
    }

    /// Removes the mark of this refresh, as the server has issued no tokens. If that fails, the next refresh only
    /// happens earlier than necessary.
    private func unmark(_ kept: TokenRecord) async {
        try? await store.save(kept)
    }
}

extension OAuthTokens {
    /// The tokens, and of those before them what the server did not give anew.
    fileprivate func completed(by old: OAuthTokens) -> OAuthTokens {
        var tokens = self
        tokens.refreshToken = refreshToken ?? old.refreshToken
        tokens.idToken = idToken ?? old.idToken
        tokens.scope = scope ?? old.scope
        tokens.proofKey = proofKey ?? old.proofKey
        return tokens
    }
}
