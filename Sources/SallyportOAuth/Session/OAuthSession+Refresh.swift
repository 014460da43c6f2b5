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
/// All of it happens while nobody else has the store. Before the server is asked, the store is told that it will be;
/// its answer takes the place of the old tokens at once, and only then does anybody get it. So after a crash the store
/// has the old tokens, with the mark if the server may have answered, or the new ones.
extension OAuthSession {
    /// How soon after a failure a refresh is tried again while the old tokens can still be used.
    private static let pause: TimeInterval = 5

    /// - Returns: The tokens to go on with, and whether the server has given them just now.
    func renewed() async -> (Outcome, isNew: Bool) {
        do {
            return try await store.withExclusiveAccess { await self.renewedAlone() }
        } catch {
            let error = OAuthSessionError(ofStore: error)
            logger.warning("The tokens could not be reached: \(error)")
            guard let kept = try? await store.load() else { return (.failure(error), false) }
            return (stillValid(kept, or: error), false)
        }
    }

    private func renewedAlone() async -> (Outcome, isNew: Bool) {
        let kept: TokenRecord?
        do {
            kept = try await load()
        } catch {
            return (.failure(OAuthSessionError(ofStore: error)), false)
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

    /// What the store holds, or what it should.
    func load() async throws -> TokenRecord? {
        let kept = try await store.load()
        guard let unsaved = unsaved.withLock({ $0 }) else { return kept }
        if let kept, kept.tokens == unsaved.replaced {
            if (try? await store.save(unsaved.record)) == nil { return unsaved.record }
        }
        let isNewer = kept?.tokens == unsaved.replaced
        self.unsaved.withLock { $0 = nil }
        return isNewer ? unsaved.record : kept
    }

    /// The tokens, if they are fresh: another process may have refreshed them.
    private func stillFresh(_ kept: TokenRecord, isUnsaved: Bool) -> OAuthTokens? {
        var due = kept.refreshDue(ahead: refreshAhead)
        let now = now()
        guard !isRejected(kept.tokens), due.map({ now < $0 }) ?? true else { return nil }
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
            await keep(TokenRecord(tokens: tokens, obtainedAt: now()), replacing: kept.tokens)
            return (.success(tokens), true)
        } catch let error as OAuthError where error.error == "invalid_grant" {
            return (await ended(error, kept), false)
        } catch let error as OAuthError {
            logger.warning("The server refused to refresh the tokens: \(error.error ?? "no reason given")")
            if let status = error.status, (400..<500).contains(status) { await unmark(kept) }
            return (stillValid(kept, or: .refused(error)), false)
        } catch {
            let error = NetworkError(wrapping: error, reason: "the refresh failed")
            logger.warning("The tokens could not be refreshed: \(error)")
            if !error.mayHaveBeenSent { await unmark(kept) }
            return (stillValid(kept, or: .network(error)), false)
        }
    }

    private func refreshInTime(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        try await withThrowingTaskGroup(of: OAuthTokens.self) { group in
            group.addTask { try await self.refresher.refresh(tokens) }
            group.addTask {
                try await Task.sleep(for: self.refreshLimit)
                throw NetworkError.timeout(NetworkFailure("the refresh took longer than \(self.refreshLimit)"))
            }
            defer { group.cancelAll() }
            guard let tokens = try await group.next() else { throw CancellationError() }
            return tokens
        }
    }

    /// Keeps new tokens, durably if that is possible at all.
    private func keep(_ record: TokenRecord, replacing replaced: OAuthTokens) async {
        var due = record.refreshDue(ahead: refreshAhead)
        for pause in [Duration.milliseconds(50), .milliseconds(200), nil] {
            do {
                try await store.save(record)
                unsaved.withLock { $0 = nil }
                know(record, due: due)
                return logger.debug("The tokens are refreshed and kept")
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

    /// The server no longer knows the refresh token, unless somebody who does not lock the store has replaced it.
    private func ended(_ error: OAuthError, _ kept: TokenRecord) async -> Outcome {
        if let record = try? await store.load(), record.tokens.refreshToken != kept.tokens.refreshToken,
            let tokens = stillFresh(record, isUnsaved: false)
        {
            return .success(tokens)
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

    /// Takes the mark of this refresh away: the server has given no tokens. If that fails, it only says too much.
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

extension NetworkError {
    /// Whether the server may have got the request.
    fileprivate var mayHaveBeenSent: Bool {
        switch self {
        case .invalidRequest, .networkUnavailable, .hostNotFound, .connectionFailed, .tlsFailed, .certificateRefused,
            .pinMismatch:
            false
        default: failure.phase.map { $0 >= .send } ?? true
        }
    }
}
