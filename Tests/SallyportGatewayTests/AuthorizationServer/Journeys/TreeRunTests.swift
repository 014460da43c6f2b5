import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct TreeRunTests {
    /// A node that asks once, or suspends, and then ends with an outcome.
    private struct Stub: JourneyNode {
        enum Kind {
            case asks, suspends, decides
        }

        let kind: Kind
        var outcomes = ["next"]
        var result = "next"

        func enter(
            _ state: inout JourneyState,
            _ services: JourneyServices
        ) async throws(JourneyRefusal) -> JourneyNodeResult {
            state.notes["entered"] = true
            let page = JourneyPage([.message(state.username ?? "nobody")])
            switch kind {
            case .asks: return .ask(page)
            case .suspends: return .suspend(page, MagicLinkMessage(recipient: "a@example.com", subject: "S"))
            case .decides: return .outcome(result)
            }
        }

        func resume(
            with answers: [CallbackAnswer],
            _ state: inout JourneyState,
            _ services: JourneyServices
        ) async throws(JourneyRefusal) -> JourneyNodeResult {
            // The notes of the node are kept until it ends.
            state.username = state.notes["entered"] == true ? "alice" : nil
            return .outcome(result)
        }
    }

    private func services() throws -> JourneyServices {
        let context = ServerContext(try .development(), clock: { Date(timeIntervalSince1970: 0) })
        let accounts = UserAccounts(context, passwords: PasswordCheck())
        return JourneyServices(
            context,
            accounts: accounts,
            oneTimePasswords: OneTimePasswordDevices(context),
            passkeys: Passkeys(context),
            push: PushDevices(context)
        )
    }

    private func tree(_ nodes: [String: (node: Stub, next: [String: String])]) -> JourneyTree {
        JourneyTree(start: "first", nodes: nodes.mapValues { JourneyTree.Entry(node: $0.node, next: $0.next) })
    }

    /// The text of the message on a page.
    private func text(_ step: TreeRun.Step) -> String? {
        switch step {
        case .page(let page), .suspended(let page, _): page.callbacks.first?.outputs.first?.value.string
        case .success, .failure: nil
        }
    }

    @Test func `The outcome of each node leads to the next one, whose page waits for an answer`() async throws {
        let services = try services()
        var run = TreeRun(
            tree([
                "first": (Stub(kind: .asks), ["next": "decision"]),
                "decision": (
                    Stub(kind: .decides, outcomes: ["yes", "no"], result: "no"), ["yes": "success", "no": "last"]
                ),
                "last": (Stub(kind: .asks), ["next": "success"]),
            ])
        )
        #expect(text(await run.start(services)) == "nobody")
        #expect(run.page != nil)
        #expect(text(await run.answer([], services)) == "alice")
        guard case .success = await run.answer([], services) else {
            Issue.record("the tree has not succeeded")
            return
        }
        #expect(run.state.notes.isEmpty)
    }

    @Test func `An answer to a suspended tree shows its page again, and only the link continues it`() async throws {
        let services = try services()
        var run = TreeRun(tree(["first": (Stub(kind: .suspends), ["next": "success"])]))
        guard case .suspended(_, let message) = await run.start(services) else {
            Issue.record("the tree is not suspended")
            return
        }
        #expect(message?.recipient == "a@example.com")
        #expect(text(await run.answer([], services)) == "nobody")
        guard case .success = await run.resume(services) else {
            Issue.record("the tree has not succeeded")
            return
        }
    }

    @Test func `An outcome that leads to failure ends the tree with the problem of the node`() async throws {
        let services = try services()
        var state = JourneyState()
        state.problem = "reason"
        var run = TreeRun(tree(["first": (Stub(kind: .decides), ["next": "failure"])]), state: state)
        guard case .failure(let refusal) = await run.start(services) else {
            Issue.record("the tree has not failed")
            return
        }
        #expect(refusal == .failed(problem: "reason"))
    }
}
