import Foundation
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct SessionStateTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)
    private let old = OAuthTokens.number(1)
    private let new = OAuthTokens.number(2)

    private func descriptions(of actions: [SessionState<String>.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .startRefresh: "refresh"
            case .resume(let waiter, .success(let tokens)): "\(waiter) \(tokens.accessToken.suffix(1))"
            case .resume(let waiter, .failure(let error)): "\(waiter) \(error)"
            case .notify: "idle"
            }
        }
    }

    private func wait(
        _ state: inout SessionState<String>,
        _ waiter: String,
        rejecting rejected: OAuthTokens? = nil
    ) -> [String] {
        descriptions(
            of: state.wait(waiter, number: state.makeWaiterNumber(), rejecting: rejected?.accessToken, at: now)
        )
    }

    /// Returns the access token that a call gets without waiting, and the actions, after a number of seconds.
    private func call(_ state: inout SessionState<String>, after seconds: TimeInterval) -> [String]? {
        state.validTokens(at: now + seconds).map { tokens, actions in
            [String(tokens.accessToken.suffix(1))] + descriptions(of: actions)
        }
    }

    @Test func `Valid tokens are returned at once, and one refresh starts when they are due`() {
        var state = SessionState<String>()
        var tokens = old
        tokens.expiresAt = now + 60
        state.cache(tokens, refreshDue: now + 1)
        #expect(wait(&state, "a") == ["a 1"])
        #expect(call(&state, after: 0) == ["1"])
        #expect(call(&state, after: 1) == ["1", "refresh"])
        #expect(call(&state, after: 57) == ["1"])
        #expect(call(&state, after: 58) == nil)
        #expect(wait(&state, "b") == ["b 1"])
    }

    @Test func `Tokens that are not due are returned until they expire, however short their lifetime is`() {
        var state = SessionState<String>()
        var tokens = old
        tokens.expiresAt = now + 1
        state.cache(tokens, refreshDue: now + 0.5)
        #expect(call(&state, after: 0.4) == ["1"])
        #expect(call(&state, after: 0.6) == nil)
    }

    @Test func `A failed refresh of valid tokens is repeated after a pause`() {
        var state = SessionState<String>()
        var tokens = old
        tokens.expiresAt = now + 60
        state.cache(tokens, refreshDue: now)
        #expect(call(&state, after: 0) == ["1", "refresh"])
        _ = state.endRefresh(with: .failure(.cancelled), isNew: false, nextAttempt: now + 5)
        #expect(call(&state, after: 4) == ["1"])
        #expect(call(&state, after: 5) == ["1", "refresh"])
        _ = state.endRefresh(with: .failure(.cancelled), isNew: false, nextAttempt: now + 100)
        #expect(call(&state, after: 61) == nil)
    }

    @Test func `Tokens that have been loaded resume the waiters that did not reject them, while a refresh continues`() {
        var state = SessionState<String>()
        #expect(wait(&state, "a") == ["refresh"])
        #expect(wait(&state, "b", rejecting: old) == [])
        #expect(wait(&state, "c") == [])
        state.cache(old, refreshDue: .distantPast)
        #expect(descriptions(of: state.resumeWaiters(at: now)) == ["a 1", "c 1"])
        state.cache(new, refreshDue: .distantPast)
        #expect(descriptions(of: state.resumeWaiters(at: now)) == ["b 2"])
        #expect(state.isRefreshing)
    }

    @Test func `One refresh resumes all waiters in order`() {
        var state = SessionState<String>()
        #expect(wait(&state, "a") == ["refresh"])
        let others = (0..<50).map { "w\($0)" }
        for waiter in others { #expect(wait(&state, waiter).isEmpty) }
        state.cache(new, refreshDue: nil)
        #expect(
            descriptions(of: state.endRefresh(with: .success(new), isNew: true, nextAttempt: now)) == ["a 2"]
                + others.map { "\($0) 2" }
        )
        #expect(!state.isRefreshing)
    }

    @Test func `Removing a waiter changes neither the other waiters nor the refresh`() {
        var state = SessionState<String>()
        let first = state.makeWaiterNumber()
        _ = state.wait("a", number: first, rejecting: nil, at: now)
        #expect(wait(&state, "b") == [])
        #expect(state.removeWaiter(first) == "a")
        #expect(state.removeWaiter(first) == nil)
        #expect(state.isRefreshing)
        #expect(descriptions(of: state.endRefresh(with: .success(new), isNew: true, nextAttempt: now)) == ["b 2"])
    }

    @Test func `A waiter that rejects replaced tokens receives the new ones`() {
        var state = SessionState<String>()
        state.cache(new, refreshDue: nil)
        #expect(wait(&state, "a", rejecting: old) == ["a 2"])
        #expect(wait(&state, "a", rejecting: new) == ["refresh"])
    }

    @Test func `Rejected tokens are not returned again`() {
        var state = SessionState<String>()
        state.cache(old, refreshDue: nil)
        state.reject("canary-access-7")
        #expect(state.validTokens(at: now)?.0 == old)
        state.reject(old.accessToken)
        #expect(state.validTokens(at: now)?.0 == nil)
        #expect(state.isRejected(old.accessToken))
        _ = wait(&state, "a")
        #expect(
            descriptions(of: state.endRefresh(with: .failure(.cancelled), isNew: false, nextAttempt: now)).count == 1
        )
        #expect(state.validTokens(at: now)?.0 == nil)
        state.cache(new, refreshDue: nil)
        #expect(state.validTokens(at: now)?.0 == new)
    }

    @Test func `A waiter that has rejected the stored tokens waits for the next refresh`() {
        var state = SessionState<String>()
        #expect(wait(&state, "a") == ["refresh"])
        #expect(wait(&state, "b", rejecting: old) == [])
        state.cache(old, refreshDue: nil)
        #expect(
            descriptions(of: state.endRefresh(with: .success(old), isNew: false, nextAttempt: now)) == [
                "a 1", "refresh",
            ]
        )
        #expect(state.isRejected(old.accessToken))
        state.cache(new, refreshDue: nil)
        #expect(descriptions(of: state.endRefresh(with: .success(new), isNew: true, nextAttempt: now)) == ["b 2"])
    }

    @Test func `A refresh that returns the rejected token again ends the wait`() {
        var state = SessionState<String>()
        state.cache(old, refreshDue: nil)
        #expect(wait(&state, "a", rejecting: old) == ["refresh"])
        state.cache(old, refreshDue: nil)
        #expect(descriptions(of: state.endRefresh(with: .success(old), isNew: true, nextAttempt: now)) == ["a 1"])
        #expect(state.validTokens(at: now)?.0 == old)
    }

    @Test func `All waiters receive the same error, and the next waiter starts another refresh`() {
        var state = SessionState<String>()
        _ = wait(&state, "a")
        _ = wait(&state, "b")
        let error = OAuthSessionError.noTokens
        #expect(
            descriptions(of: state.endRefresh(with: .failure(error), isNew: false, nextAttempt: now)) == [
                "a \(error)", "b \(error)",
            ]
        )
        #expect(wait(&state, "c") == ["refresh"])
    }
}
