import Foundation
import Logging
import Sallyport
import SallyportTransport

/// Refreshes the tokens of a session: loads them, requests new tokens, and saves these.
///
/// The record is loaded first, without exclusive access: another process may have refreshed the tokens already. All other steps run with
/// exclusive access to the store. Before the request is sent, the record is marked
/// (``TokenRecord/refreshBegan``). The new tokens are saved before any caller gets them. After a crash, the store therefore
/// contains either the new tokens or the old ones, which are marked if the server may have replaced them. The tokens of a marked
/// record are refreshed at once, because servers repeat the response to a replaced refresh token for only a few seconds. A store that may
/// end the exclusive access of a running process, such as a database, gives that process time before.
struct SessionRefresh: Sendable {
    /// The outcome of a refresh.
    ///
    /// `isNew` indicates whether the server has just issued the tokens.
    typealias Completion = (outcome: OAuthSession.State.Outcome, isNew: Bool)

    /// Returns the time after a failure before the next attempt, while the old tokens can still be used, in seconds. It is random, so that
    /// the processes that share a store do not repeat their attempts at the same time.
    static func pauseAfterFailure() -> TimeInterval { .random(in: 2.5...7.5) }

    /// The interval before the next attempt to save tokens that are only in memory, in seconds. It is short, because other processes
    /// soon refresh the old tokens themselves.
    private static let saveInterval: TimeInterval = 1

    /// The pauses between attempts to save new tokens. The last ones are only for a store that is unavailable, such as a database
    /// that is being restarted.
    private static let savePauses: [Duration] =
        [.milliseconds(50), .milliseconds(200)] + Array(repeating: .milliseconds(500), count: 9)

    let records: SessionRecords
    let refresher: any TokenRefresher
    let limit: Duration
    let logger: Logger

    /// The time limit for the start of attempts to save new tokens. It exists because callers are waiting. The second attempt is made even
    /// after the limit: a lost connection of the store can have taken the complete time, and the second attempt uses another one.
    var saveLimit: Duration = .seconds(5)

    /// The time limit for the start of attempts to save tokens that are only in memory, when the program ends. It is this long because a
    /// pooler such as PgBouncer refuses connections for 15 seconds after the database was unavailable.
    var finalSaveLimit: Duration = .seconds(30)

    /// Refreshes the tokens unless another process has done so.
    ///
    /// - Parameter onLoad: A closure that is called when tokens have been loaded and cached that are due, but may still be valid.
    func run(onLoad: () -> Void) async -> Completion {
        do throws(OAuthSessionError) {
            // Without exclusive access, the cache may change meanwhile, as by a logout of this process.
            let version = records.version
            if records.unsaved == nil, let record = try await records.load(), records.version == version {
                if let tokens = freshTokens(of: record, isUnsaved: false, at: version) {
                    return (.success(tokens), false)
                }
                if records.cache(record.tokens, refreshDue: .distantPast, at: version) { onLoad() }
                if !refresher.canRefresh(record.tokens) {
                    return (usableTokens(record.tokens, fallingBackTo: .noRefreshToken), false)
                }
            }
        } catch {
            logger.warning("The tokens could not be loaded: \(error)")
            return (await usableTokens(after: error), false)
        }
        do {
            return try await records.store.withExclusiveAccess { await self.refreshHoldingStore() }
        } catch {
            let error = OAuthSessionError(ofStore: error)
            logger.warning("The token store could not be accessed: \(error)")
            return (await usableTokens(after: error), false)
        }
    }

    private func refreshHoldingStore() async -> Completion {
        let newest: TokenRecord?
        do throws(OAuthSessionError) {
            newest = try await records.loadNewest()
        } catch {
            logger.warning("The tokens are not refreshed: \(error)")
            return (await usableTokens(after: error), false)
        }
        guard let record = newest else {
            records.cache(nil, refreshDue: nil)
            return await requestFirstTokens()
        }
        if let tokens = freshTokens(of: record, isUnsaved: records.unsaved != nil) { return (.success(tokens), false) }
        records.cache(record.tokens, refreshDue: .distantPast)
        guard refresher.canRefresh(record.tokens) else {
            return (usableTokens(record.tokens, fallingBackTo: .noRefreshToken), false)
        }
        let start = ContinuousClock.now
        do {
            var marked = record
            marked.refreshBegan = record.refreshBegan ?? records.now()
            // If the store cannot be written, as on a full disk, the refresh token is not spent.
            try await records.store.save(marked)
        } catch {
            let error = OAuthSessionError(ofStore: error)
            logger.warning("The tokens are not refreshed, because the store cannot be written: \(error)")
            return (usableTokens(record.tokens, fallingBackTo: error), false)
        }
        return await requestTokens(replacing: record, since: start)
    }

    /// Returns the tokens of a record if they need no refresh, as after a refresh by another process.
    ///
    /// - Parameter version: The version of the cache from before the record was loaded without exclusive access.
    private func freshTokens(of record: TokenRecord, isUnsaved: Bool, at version: Int? = nil) -> OAuthTokens? {
        var due = records.refreshDue(of: record)
        let now = records.now()
        guard record.refreshBegan == nil, !records.isRejected(record.tokens), due.map({ now < $0 }) ?? true else {
            return nil
        }
        if isUnsaved { due = min(due ?? .distantFuture, now + Self.saveInterval) }
        return records.cache(record.tokens, refreshDue: due, at: version) ? record.tokens : nil
    }

    /// Returns the stored tokens, or those in memory if the store is unavailable, if they can be used; or else the error.
    private func usableTokens(after error: OAuthSessionError) async -> OAuthSession.State.Outcome {
        guard case .store(let problem) = error else { return .failure(error) }
        var tokens = error.isStoreUnavailable ? records.cachedTokens : nil
        // A database that could not be reached is not asked again, because callers are waiting.
        if tokens == nil, ![.unreachable, .timedOut].contains(problem.reason) {
            do throws(OAuthSessionError) {
                tokens = try await records.load()?.tokens
            } catch {
                // All connections to a database can be in use.
                if case .store(let problem) = error, problem.reason == .busy { tokens = records.cachedTokens }
            }
        }
        return tokens.map { usableTokens($0, fallingBackTo: error) } ?? .failure(error)
    }

    /// Returns tokens if they can be used although their refresh failed, or else the error.
    private func usableTokens(
        _ tokens: OAuthTokens,
        fallingBackTo error: OAuthSessionError
    ) -> OAuthSession.State.Outcome {
        let now = records.now()
        let end = tokens.expiresAt ?? .distantFuture
        if now >= end || records.isRejected(tokens) { return .failure(error) }
        let interval = records.unsaved == nil ? Self.pauseAfterFailure() : Self.saveInterval
        records.cache(tokens, refreshDue: min(end, now + interval))
        return .success(tokens)
    }

    /// Requests the first tokens from the server and saves them, if no login is needed for them.
    private func requestFirstTokens() async -> Completion {
        do {
            guard let tokens = try await withinLimit(since: .now, { try await refresher.requestFirstTokens() }) else {
                return (.failure(.noTokens), false)
            }
            logger.debug("The first tokens have been received")
            let record = TokenRecord(tokens: tokens, client: refresher.identity, obtainedAt: records.now())
            return (.success(await save(record, replacing: nil)), true)
        } catch let error as OAuthError {
            logger.warning("The first tokens could not be obtained: \(error)")
            return (.failure(.refused(error)), false)
        } catch {
            let error = NetworkError(wrapping: error, reason: "the request for the first tokens failed")
            logger.warning("The first tokens could not be obtained: \(error)")
            return (.failure(.network(error)), false)
        }
    }

    /// Requests new tokens from the server and saves them.
    private func requestTokens(replacing old: TokenRecord, since start: ContinuousClock.Instant) async -> Completion {
        logger.debug("The tokens are refreshed")
        do {
            let tokens = try await withinLimit(since: start) { try await refresher.refresh(old.tokens) }
                .completed(from: old.tokens)
            let record = TokenRecord(tokens: tokens, client: old.client, obtainedAt: records.now())
            let saved = await save(record, replacing: old.tokens)
            return (.success(saved), saved == tokens)
        } catch let error as OAuthError where error.error == "invalid_grant" {
            return (await endSession(error, old), false)
        } catch let error as OAuthError {
            logger.warning("The tokens could not be refreshed: \(error)")
            var record = old
            if let refreshToken = error.issuedRefreshToken {
                // The server has replaced the old refresh token. Ignore everything else in the refused response.
                record.tokens.refreshToken = refreshToken
                record.refreshBegan = nil
                record.tokens = await save(record, replacing: old.tokens)
            } else if let status = error.status, (400..<500).contains(status) {
                await removeMark(from: old)
            }
            if error.isInvalidGrant, let began = old.refreshBegan {
                // The tokens are kept, because a proxy may have sent this response without an error code.
                return (usableTokens(record.tokens, fallingBackTo: .ended(error, responseLostAt: began)), false)
            }
            return (usableTokens(record.tokens, fallingBackTo: .refused(error)), false)
        } catch {
            let error = NetworkError(wrapping: error, reason: "the refresh failed")
            logger.warning("The tokens could not be refreshed: \(error)")
            if !error.mayHaveReachedServer { await removeMark(from: old) }
            return (usableTokens(old.tokens, fallingBackTo: .network(error)), false)
        }
    }

    /// Runs a closure that calls the refresher, and cancels it when ``limit`` is reached.
    ///
    /// The closure is not run if the limit has been reached before, as in a process that was stopped: the store may have ended its
    /// exclusive access, and another process may have used the refresh token.
    ///
    /// If the refresher nevertheless returns a result after its cancellation, for example because the response had arrived but
    /// its validation took too long, that result is used.
    private func withinLimit<Value: Sendable>(
        since start: ContinuousClock.Instant,
        _ request: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await ContinuousClock.now < start + limit ? request() : nil }
            group.addTask {
                try? await Task.sleep(until: start + limit, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            if let value = try await group.next() ?? nil { return value }
            group.cancelAll()
            do {
                if let value = try await group.next() ?? nil { return value }
            } catch let error as OAuthError {
                throw error
            } catch {}
            throw NetworkError.timeout(NetworkFailure("the refresh took longer than \(Quantity.time(limit))"))
        }
    }

    /// Saves a new record, or keeps it in memory if the store fails repeatedly.
    ///
    /// - Returns: The tokens to use: the tokens of the record, unless the exclusive access ended and others have been stored.
    private func save(_ record: TokenRecord, replacing replaced: OAuthTokens?) async -> OAuthTokens {
        records.setSaving(true)
        defer { records.setSaving(false) }
        let end = ContinuousClock.now + saveLimit
        for (attempt, pause) in (Self.savePauses + [.zero]).enumerated() {
            do {
                try await records.save(record)
                logger.debug("The new tokens are saved")
                return record.tokens
            } catch {
                let error = OAuthSessionError(ofStore: error)
                logger.error("The new tokens could not be saved, and are only in memory: \(error)")
                if case .store(let problem) = error, problem.reason == .accessLost {
                    guard let stored = try? await records.load() else { break }
                    if let tokens = freshTokens(of: stored, isUnsaved: false) { return tokens }
                    break
                }
                let isLate = ContinuousClock.now + pause > end
                if isLate && (attempt >= 1 || !error.isStoreUnavailable) { break }
                if attempt >= 2, !error.isStoreUnavailable { break }
                try? await Task.sleep(for: pause)
            }
        }
        let due = records.refreshDue(of: record) ?? .distantFuture
        records.keepUnsaved(record, replacing: replaced, refreshDue: min(due, records.now() + Self.saveInterval))
        return record.tokens
    }

    /// Saves tokens that are only in memory, before the program ends.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)`` if all attempts that begin within ``finalSaveLimit`` fail, or if no attempt can succeed. The
    ///   tokens are then lost with the program.
    func saveRemaining() async throws(OAuthSessionError) {
        let end = ContinuousClock.now + finalSaveLimit
        while records.unsaved != nil {
            do {
                try await records.store.withExclusiveAccess { try await self.records.saveUnsaved() }
            } catch {
                let error = OAuthSessionError(ofStore: error)
                if ContinuousClock.now >= end || error.isPermanent { throw error }
                try? await Task.sleep(for: .seconds(Self.saveInterval))
            }
        }
    }

    /// Removes the tokens of a session that the server has ended, unless other tokens have been saved without exclusive access
    /// meanwhile.
    private func endSession(_ error: OAuthError, _ old: TokenRecord) async -> OAuthSession.State.Outcome {
        do throws(OAuthSessionError) {
            if let record = try await records.load(), record.tokens.refreshToken != old.tokens.refreshToken,
                let tokens = freshTokens(of: record, isUnsaved: false)
            {
                return .success(tokens)
            }
        } catch {
            if case .otherClient = error { return .failure(error) }
        }
        do {
            try await records.store.delete()
        } catch {
            let error = OAuthSessionError(ofStore: error)
            logger.error("The tokens of a session that has ended could not be removed: \(error)")
            // Another process has stored other tokens, so the session has not ended.
            if case .store(let problem) = error, problem.reason == .accessLost {
                return await usableTokens(after: error)
            }
        }
        records.forget()
        let error = OAuthSessionError.ended(error, responseLostAt: old.refreshBegan)
        logger.notice("The session has ended: \(error)")
        return .failure(error)
    }

    /// Saves a record without the mark of this refresh, because the server has issued no tokens. If that fails, the only
    /// consequence is that the next refresh happens earlier than necessary.
    private func removeMark(from record: TokenRecord) async {
        try? await records.store.save(record)
    }
}
