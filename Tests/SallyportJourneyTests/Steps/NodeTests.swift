import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct NodeTests {
    @Test func `A node has its stage, header, description and callbacks in order`() async throws {
        let server = TreeServer()
        server.answer(
            .json(
                #"{"authId":"a","callbacks":[\#(CallbackText.password),\#(CallbackText.name)],"stage":"s","header":"h","description":"d"}"#
            )
        )
        let node = try node(in: await server.journey().start())
        #expect(node.stage == "s")
        #expect(node.header == "h")
        #expect(node.descriptionText == "d")
        #expect(node.callbacks.map(\.raw.type) == ["PasswordCallback", "NameCallback"])
        #expect("\(node)" == "node (PasswordCallback, NameCallback)")
    }

    @Test func `Sending a node twice is an error, nothing is sent, and the tree continues`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.name), .node(CallbackText.polling), .node(CallbackText.polling), .session())
        let journey = try server.journey()
        var first = try node(in: await journey.start())
        first[NameCallback.self]?.name = "alice"
        let second = try node(in: await first.next())
        await expectError(\JourneyError.kind, "alreadyAnswered") { try await first.next() }
        let third = try node(in: await second.next())
        await expectError(\JourneyError.kind, "outOfOrder") { try await first.next() }
        await expectError(\JourneyError.kind, "alreadyAnswered") { try await second.next() }
        #expect(try session(in: await third.next())?.token == "session-1")
        await expectError(\JourneyError.kind, "alreadyAnswered") { try await third.next() }
        #expect(server.treeRequests.count == 4)
        #expect(try await journey.session()?.token == "session-1")
    }

    @Test func `A node that is being sent cannot be sent again`() async throws {
        let server = TreeServer()
        let received = Signal()
        let released = Signal()
        server.answer(.node(CallbackText.polling))
        let node = try node(in: await server.journey().start())
        server.transport.on(.post, TreeServer.realm + "/authenticate") { _ in
            received.fire()
            try await released.wait()
            return .session()
        }
        async let step = node.next()
        try await received.wait()
        await expectError(\JourneyError.kind, "alreadyAnswered") { try await node.next() }
        released.fire()
        #expect(try session(in: await step)?.token == "session-1")
    }

    @Test func `After a network error, a node can be sent again`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling), .fail(.connectionLost("lost")), .json("[]"), .session())
        let node = try node(in: await server.journey().start())
        await expectError(\JourneyError.kind, "network") { try await node.next() }
        await expectError(\JourneyError.kind, "invalidResponse") { try await node.next() }
        #expect(try session(in: await node.next())?.token == "session-1")
    }

    @Test func `A node with a missing answer is not sent, and can be completed`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.name, CallbackText.password), .session())
        var node = try node(in: await server.journey().start())
        await expectError(\JourneyError.description, "the name is missing; set it and send the node again") {
            try await node.next()
        }
        node[NameCallback.self]?.name = "alice"
        await expectError(\JourneyError.kind, "missingAnswer") { try await node.next() }
        node[PasswordCallback.self]?.password = "wonderland"
        _ = try await node.next()
        #expect(server.treeRequests.count == 2)
    }

    @Test func `Callbacks that were added, removed or moved are refused`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling, CallbackText.polling))
        let original = try node(in: await server.journey().start())
        for change in [
            { (node: inout Node) in node.callbacks.removeLast() }, { $0.callbacks.append($0.callbacks[0]) },
            { $0.callbacks.swapAt(0, 1) },
        ] as [(inout Node) -> Void] {
            var node = original
            change(&node)
            await expectError(\JourneyError.kind, "invalidAnswer") { try await node.next() }
        }
        #expect(server.treeRequests.count == 1)
    }

    @Test(arguments: [true, false])
    func `A tree that is suspended cannot be answered`(hasIdentifier: Bool) async throws {
        let server = TreeServer()
        let identifier = hasIdentifier ? #""authId":"a","# : ""
        server.answer(.json(#"{\#(identifier)"callbacks":[\#(CallbackText.suspended)]}"#))
        let node = try node(in: await server.journey().start())
        #expect(node.isSuspended)
        #expect(node[SuspendedTextOutputCallback.self]?.message == "Mail sent")
        await expectError(\JourneyError.kind, "suspended") { try await node.next() }
        #expect(server.treeRequests.count == 1)
    }

    @Test(arguments: [
        (200, "", "contains no JSON object"), (200, "[]", "contains no JSON object"),
        (200, "<html>", "contains no JSON object"),
        (404, "<html>", "(status 404) contains no JSON object"), (302, "{}", "has the status 302"),
        (200, "{}", "is neither a node nor a success"), (200, #"{"callbacks":{}}"#, "callbacks that are not an array"),
        (200, #"{"callbacks":[{}]}"#, "the callback 0 of a node has no type"),
        (200, #"{"callbacks":[7]}"#, "the callback 0 of a node has no type"),
        (200, #"{"tokenId":"a;b"}"#, "characters that cannot be sent"),
        (200, #"{"tokenId":"a\r\nb"}"#, "characters that cannot be sent"),
        (200, #"{"a":1,"a":2}"#, "two members with the same name"),
        (
            200, #"{"callbacks":["# + Array(repeating: CallbackText.polling, count: 101).joined(separator: ",") + "]}",
            "101 callbacks"
        ),
    ])
    func `A response that is no step has its own error`(_ status: Int, _ body: String, _ problem: String) async throws {
        let server = TreeServer()
        server.answer(.json(body, status: status))
        let error = await expectError(\JourneyError.kind, "invalidResponse") { try await server.journey().start() }
        #expect(error?.description.contains(problem) == true, "\(String(describing: error))")
    }

    @Test func `A response that is too large is not read`() async throws {
        let server = TreeServer()
        server.answer(.json(#"{"a":""# + String(repeating: "a", count: 1 << 20) + #""}"#))
        await expectError(\JourneyError.networkKind, "responseTooLarge") { try await server.journey().start() }
    }

    @Test func `A node polls as the server demands until the tree continues`() async throws {
        let server = TreeServer()
        let time = ManualTime()
        let exit = CallbackText.make(
            "ConfirmationCallback",
            output: CallbackText.output("options", #"["Exit"]"#),
            input: #"{"name":"IDToken2","value":100}"#
        )
        server.answer(.node(CallbackText.polling, exit), .node(CallbackText.polling, exit), .node(CallbackText.name))
        let node = try node(in: await server.journey(clock: time.retryTime).start())
        let following = try SallyportJourneyTests.node(in: await node.poll())
        #expect(following[NameCallback.self] != nil)
        #expect(time.sleeps == [.seconds(8), .seconds(8)])
    }

    @Test func `Polling ends when the server sends another node, which may demand to wait as well`() async throws {
        let server = TreeServer()
        let time = ManualTime()
        server.answer(
            .node(CallbackText.polling),
            .node(CallbackText.polling.replacing("8000", with: "2000")),
            .node(CallbackText.text, CallbackText.polling),
            .session()
        )
        let node = try node(in: await server.journey(clock: time.retryTime).start())
        let following = try SallyportJourneyTests.node(in: await node.poll())
        #expect(following[TextOutputCallback.self]?.message == "Hello")
        #expect(time.sleeps == [.seconds(8), .seconds(2)])
        _ = try session(in: await following.poll())
    }

    @Test func `Polling ends with a timeout, and can be continued`() async throws {
        let server = TreeServer()
        let time = ManualTime()
        server.answer(.node(CallbackText.polling))
        let node = try node(in: await server.journey(clock: time.retryTime).start())
        await expectError(\JourneyError.networkKind, "timeout") { try await node.poll(for: .seconds(20)) }
        #expect(time.sleeps == [.seconds(8), .seconds(8), .seconds(4)])
        #expect(server.treeRequests.count == 3)
    }

    @Test func `A cancelled task stops polling at once`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling))
        let node = try node(in: await server.journey().start())
        let task = Task { try await node.poll() }
        task.cancel()
        await expectError(\JourneyError.networkKind, "cancelled") { try await task.value }
        #expect(server.treeRequests.count == 1)
    }

    @Test func `complete answers all nodes, and throws the failure of the tree`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.name), .node(CallbackText.password), .treeFailure())
        let prompts = Journal()
        let error = await expectError(\JourneyError.kind, "failed") {
            try await server.journey().start().complete { node in
                prompts.add(node.callbacks[0].raw.type)
                node[NameCallback.self]?.name = "alice"
                node[PasswordCallback.self]?.password = "wrong"
            }
        }
        #expect(prompts.entries == ["NameCallback", "PasswordCallback"])
        #expect(error?.description == "the sign-in failed (\"Login failure\", code 401)")
    }

    @Test func `complete waits as the server demands`() async throws {
        let server = TreeServer()
        let time = ManualTime()
        server.answer(.node(CallbackText.polling), .node(CallbackText.polling), .session())
        let answered = Journal()
        let session = try await server.journey(clock: time.retryTime).start().complete { answered.add("\($0)") }
        #expect(session?.token == "session-1")
        #expect(time.sleeps == [.seconds(8), .seconds(8)])
        #expect(answered.entries == ["node (PollingWaitCallback)"])
    }

    @Test func `An option that the user has selected ends a wait at once`() async throws {
        let server = TreeServer()
        let time = ManualTime()
        let exit = CallbackText.make(
            "ConfirmationCallback",
            output: CallbackText.output("options", #"["Exit"]"#),
            input: #"{"name":"IDToken2","value":100}"#
        )
        server.answer(.node(CallbackText.polling, exit), .treeFailure())
        let step = try await server.journey(clock: time.retryTime).start()
        await expectError(\JourneyError.kind, "failed") {
            try await step.complete { node in try node[ConfirmationCallback.self]?.select("Exit") }
        }
        #expect(time.sleeps.isEmpty)
        #expect(server.treeRequests.last?.text.contains(#""name":"IDToken2","value":0"#) == true)
    }

    @Test func `complete waits as long as it is told`() async throws {
        let server = TreeServer()
        let time = ManualTime()
        server.answer(.node(CallbackText.polling))
        let step = try await server.journey(clock: time.retryTime).start()
        await expectError(\JourneyError.networkKind, "timeout") {
            try await step.complete(pollingFor: .seconds(4)) { _ in }
        }
        #expect(time.sleeps == [.seconds(4)])
    }

    @Test func `complete returns the session of a tree that ends with the last allowed node`() async throws {
        let server = TreeServer()
        let sent = Locked(0)
        server.transport.on(.post, TreeServer.realm + "/authenticate") { _ in
            let number = sent.withLock { sent in
                sent += 1
                return sent
            }
            return number <= JourneyStep.maximumNodes ? .node(CallbackText.text) : .session()
        }
        let session = try await server.journey().start().complete { _ in }
        #expect(session?.token == "session-1")
    }

    @Test func `complete ends a tree that never ends`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.text))
        await expectError(\JourneyError.kind, "invalidResponse") {
            try await server.journey().start().complete { _ in }
        }
        #expect(server.treeRequests.count == 101)
    }

    @Test func `An error of the closure that answers a node ends the run`() async throws {
        struct NoUser: Error { let name: String }
        let server = TreeServer()
        server.answer(.node(CallbackText.name))
        let step = try await server.journey().start()
        let error = await expectError(\JourneyError.kind, "handler") {
            try await step.complete { _ in throw NoUser(name: "canary") }
        }
        #expect(error?.description.contains("canary") == false)
        #expect(server.treeRequests.count == 1)
    }
}
