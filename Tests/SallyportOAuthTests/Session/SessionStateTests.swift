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

    @Test func `Fresh tokens resume a waiter without a refresh`() {
        var state = SessionState<String>()
        state.cache(old, refreshDue: now + 1)
        #expect(wait(&state, "a") == ["a 1"])
        #expect(state.freshTokens(at: now) == old)
        #expect(state.freshTokens(at: now + 1) == nil)
    }

    @Test func `One refresh resumes all waiters in order`() {
        var state = SessionState<String>()
        #expect(wait(&state, "a") == ["refresh"])
        let others = (0..<50).map { "w\($0)" }
        for waiter in others { #expect(wait(&state, waiter).isEmpty) }
        state.cache(new, refreshDue: nil)
        #expect(
            descriptions(of: state.endRefresh(with: .success(new), isNew: true)) == ["a 2"] + others.map { "\($0) 2" }
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
        #expect(descriptions(of: state.endRefresh(with: .success(new), isNew: true)) == ["b 2"])
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
        #expect(state.freshTokens(at: now) == old)
        state.reject(old.accessToken)
        #expect(state.freshTokens(at: now) == nil)
        #expect(state.isRejected(old.accessToken))
        _ = wait(&state, "a")
        #expect(descriptions(of: state.endRefresh(with: .failure(.cancelled), isNew: false)).count == 1)
        #expect(state.freshTokens(at: now) == nil)
        state.cache(new, refreshDue: nil)
        #expect(state.freshTokens(at: now) == new)
    }

    @Test func `A waiter that has rejected the stored tokens waits for the next refresh`() {
        var state = SessionState<String>()
        #expect(wait(&state, "a") == ["refresh"])
        #expect(wait(&state, "b", rejecting: old) == [])
        state.cache(old, refreshDue: nil)
        #expect(descriptions(of: state.endRefresh(with: .success(old), isNew: false)) == ["a 1", "refresh"])
        #expect(state.isRejected(old.accessToken))
        state.cache(new, refreshDue: nil)
        #expect(descriptions(of: state.endRefresh(with: .success(new), isNew: true)) == ["b 2"])
    }

    @Test func `A refresh that returns the rejected token again ends the wait`() {
        var state = SessionState<String>()
        state.cache(old, refreshDue: nil)
        #expect(wait(&state, "a", rejecting: old) == ["refresh"])
        state.cache(old, refreshDue: nil)
        #expect(descriptions(of: state.endRefresh(with: .success(old), isNew: true)) == ["a 1"])
        #expect(state.freshTokens(at: now) == old)
    }

    @Test func `All waiters receive the same error, and the next waiter starts another refresh`() {
        var state = SessionState<String>()
        _ = wait(&state, "a")
        _ = wait(&state, "b")
        let error = OAuthSessionError.noTokens
        #expect(
            descriptions(of: state.endRefresh(with: .failure(error), isNew: false)) == ["a \(error)", "b \(error)"]
        )
        #expect(wait(&state, "c") == ["refresh"])
    }
}
