import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct NetworkTaskTests {
    private static let request = ResourceRequest(path: "p", method: .get)

    @Test func `A task starts by itself, and has the request and the response`() async throws {
        let server = try ResourceServer()
        let completion = Completion()
        let client = try server.client().deviceClient
        let task = try #require(client.sendUnauthenticatedRequest(Self.request, completion: completion.handler))
        let states = task.states
        let (response, error) = await completion.result()
        #expect(task.state == .completed && task.error == nil && error == nil)
        #expect(task.request.path == "p")
        #expect(response?.statusCode == 200 && task.response?.data == response?.data)
        #expect(await states.reduce(into: []) { $0.append($1) }.last == .completed)
        #expect(await task.states.reduce(into: []) { $0.append($1) } == [.completed])

        let other = client.sendUnauthenticatedRequest(Self.request) { _, _ in }
        #expect(other?.identifier != task.identifier && !task.identifier.isEmpty)
        await other?.wait(for: .completed)
    }

    @Test func `A failure with a response is passed to the completion with both`() async throws {
        let server = try ResourceServer()
        server.transport.on(.get, "/resources/p", .text("closed", status: 503))
        let completion = Completion()
        let task = try server.client().deviceClient
            .sendUnauthenticatedRequest(Self.request, completion: completion.handler)
        let (response, error) = await completion.result()
        #expect(response?.statusCode == 503 && response?.data == Data("closed".utf8))
        #expect(error?.reason == .status)
        #expect(task?.state == .completed && task?.response?.statusCode == 503 && task?.error?.reason == .status)
    }

    @Test func `There is no task for an invalid request, and the completion receives the error`() async throws {
        let server = try ResourceServer()
        let completion = Completion()
        let request = ResourceRequest(path: "../p", method: .get)
        let client = try server.client().userClient
        let task = client.sendAuthenticatedRequest(request, completion: completion.handler)
        let (response, error) = await completion.result()
        #expect(task == nil && response == nil)
        #expect(error?.reason == .invalidRequest && error?.call == .authenticated)
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `A task that is suspended before its request is sent sends it when it is resumed`() async throws {
        let server = try ResourceServer()
        // The hook runs before the request is sent.
        let client = try server.client(http: { $0.onRequest { _ in NetworkTask.current?.suspend() } })
        let completion = Completion()
        let task = try #require(
            client.deviceClient.sendUnauthenticatedRequest(Self.request, completion: completion.handler)
        )
        await task.wait(for: .suspended)
        // Another call is sent meanwhile.
        let other = ResourceRequest(path: "other", method: .get)
        _ = try await client.deviceClient.sendUnauthenticatedRequest(other)
        #expect(server.transport.requests.map(\.path) == ["/resources/other"])
        task.resume()
        #expect(await completion.result().response?.statusCode == 200)
        #expect(server.transport.requests.map(\.path) == ["/resources/other", "/resources/p"])
    }

    @Test func `A task that is suspended before it runs does not begin`() async throws {
        let server = try ResourceServer()
        let core = try server.client().core
        let task = NetworkTask(Self.request, .unauthenticated)
        task.suspend()
        let prepared = try core.prepare(Self.request, as: .unauthenticated)
        let completion = Completion()
        task.run(
            { () async throws(ResourceError) in try await core.send(prepared, as: .unauthenticated) },
            completion: completion.handler
        )
        _ = try await core.send(prepared, as: .unauthenticated)
        #expect(server.transport.requests.count == 1)
        task.resume()
        #expect(await completion.result().response?.statusCode == 200)
        #expect(server.transport.requests.count == 2)
    }

    @Test func `A task that is suspended in flight continues without losing data`() async throws {
        let server = try ResourceServer()
        let text = String(repeating: "0123456789", count: 1000)
        server.transport.on(.get, "/resources/p", .text(text).with(.drip(bytes: 7)))
        let client = try server.client(http: { config in config.onResponse { _ in NetworkTask.current?.suspend() } })
        let completion = Completion()
        let task = try #require(
            client.deviceClient.sendUnauthenticatedRequest(Self.request, completion: completion.handler)
        )
        await task.wait(for: .suspended)
        // A call without a task, which receives the same body meanwhile.
        let other = try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        #expect(other.data == Data(text.utf8))
        #expect(task.state == .suspended && task.response == nil)
        task.resume()
        let (response, error) = await completion.result()
        #expect(error == nil && response?.data == Data(text.utf8))
    }

    @Test func `A large body from a gateway is not read during a suspension, and is complete after it`() async throws {
        let size = 12_000_000  // more than the buffers of the connections
        try await EchoGateway.withRunning { gateway in
            let sent = Watched(0)
            let port = gateway.address.port
            try await withCountingProxy(toPort: port, count: { bytes in sent.update { $0 += bytes } }) { proxy in
                let client = try gateway.client("/", port: proxy.port) { model in
                    model.requestTimeout = 300
                } http: { config in
                    config.onResponse { _ in NetworkTask.current?.suspend() }
                }.deviceClient
                let completion = Completion()
                let request = ResourceRequest(path: "bytes/\(size)", method: .get)
                let task = try #require(
                    client.sendUnauthenticatedRequest(request, completion: completion.handler)
                )
                await task.wait(for: .suspended)
                // A call without a task, which receives the same body meanwhile, and not through the proxy.
                let url = "https://localhost:\(port)/bytes/\(size)"
                let other = try await client.sendUnauthenticatedRequest(ResourceRequest(path: url, method: .get))
                #expect(other.data?.count == size)
                #expect(sent.value < size)
                #expect(task.state == .suspended && task.response == nil)
                task.resume()
                let (response, error) = await completion.result()
                #expect(error == nil && response?.data == other.data)
                #expect(sent.value > size)
            }
        }
    }

    /// A time that a test advances.
    private struct ManualTime {
        let passed = Watched(Duration.zero)
        /// The number of waits so far.
        let waits = Watched(0)

        var source: TimeSource {
            TimeSource(now: { [passed] in passed.value }, date: { Date() }) { [passed, waits] duration in
                let end = passed.value + duration
                waits.update { $0 += 1 }
                try await passed.wait("\(end) to have passed") { $0 >= end }
            }
        }
    }

    @Test(arguments: [Duration.seconds(9), .seconds(10)])
    func `The request timeout does not advance while the task is suspended`(_ afterwards: Duration) async throws {
        let server = try ResourceServer()
        let mayRespond = Signal()
        server.transport.on(.get, "/resources/p") { _ in
            try await mayRespond.wait()
            return .text("p")
        }
        let core = try server.client { $0.requestTimeout = 10 }.core
        let time = ManualTime()
        let task = NetworkTask(Self.request, .unauthenticated, time: time.source)
        let prepared = try core.prepare(Self.request, as: .unauthenticated)
        let completion = Completion()
        task.run(
            { () async throws(ResourceError) in try await core.send(prepared, as: .unauthenticated) },
            completion: completion.handler
        )
        try await time.waits.wait("the limit of the call") { $0 == 1 }
        task.suspend()
        time.passed.update { $0 += .seconds(3600) }
        #expect(task.clock.now() == .zero)
        task.resume()
        try await time.waits.wait("the rest of the limit") { $0 == 2 }
        time.passed.update { $0 += afterwards }
        #expect(task.clock.now() == afterwards)
        if afterwards < .seconds(10) { mayRespond.fire() }
        let (response, error) = await completion.result()
        #expect(response?.data == (afterwards < .seconds(10) ? Data("p".utf8) : nil))
        #expect(error?.reason == (afterwards < .seconds(10) ? nil : .serverUnreachable))
    }

    /// The moments at which a test cancels a task.
    enum Moment: CaseIterable {
        case atTheStart, suspendedBeforeTheRequest, beforeTheResponse, inTheBody, suspendedInTheBody

        var isSuspended: Bool { self == .suspendedBeforeTheRequest || self == .suspendedInTheBody }
    }

    @Test(arguments: Moment.allCases)
    func `A cancelled task ends with 9006, also while it is suspended`(_ moment: Moment) async throws {
        let server = try ResourceServer()
        let hasArrived = Signal()
        server.transport.on(.get, "/resources/p") { _ in
            guard moment == .beforeTheResponse else { return .text("0123456789").with(.stallBody(after: 4)) }
            hasArrived.fire()
            return .stall
        }
        let client = try server.client(http: { config in
            config.onRequest { _ in
                guard moment == .suspendedBeforeTheRequest else { return }
                NetworkTask.current?.suspend()
                hasArrived.fire()
            }
            config.onResponse { _ in
                if moment == .suspendedInTheBody { NetworkTask.current?.suspend() }
                hasArrived.fire()
            }
        })
        let completion = Completion()
        let task = try #require(
            client.deviceClient.sendUnauthenticatedRequest(Self.request, completion: completion.handler)
        )
        if moment != .atTheStart {
            try await hasArrived.wait()
            #expect(task.state == (moment.isSuspended ? .suspended : .running))
        }
        task.cancel()
        #expect(task.state == .cancelled && task.error?.code.rawValue == 9006)
        let (response, error) = await completion.result()
        #expect(response == nil && error?.reason == .cancelled)
        if case NSURLErrorCancelled? = error?.code {} else { Issue.record("the code does not match") }
    }

    @Test func `A task that is cancelled before it runs sends nothing`() async throws {
        let server = try ResourceServer()
        let core = try server.client().core
        let task = NetworkTask(Self.request, .unauthenticated)
        task.suspend()
        task.cancel()
        let prepared = try core.prepare(Self.request, as: .unauthenticated)
        let completion = Completion()
        task.run(
            { () async throws(ResourceError) in try await core.send(prepared, as: .unauthenticated) },
            completion: completion.handler
        )
        #expect(await completion.result().error?.reason == .cancelled)
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `A call whose task is cancelled fails with 9006`() async throws {
        let server = try ResourceServer()
        let received = Watched(false)
        server.transport.on(.get, "/resources/p") { _ in
            received.update { $0 = true }
            return .stall
        }
        let client = try server.client().deviceClient
        let call = Task { try await client.sendUnauthenticatedRequest(Self.request) }
        try await received.wait("the request") { $0 }
        call.cancel()
        await expectError(\ResourceError.reason, .cancelled) { try await call.value }
    }

    @Test func `Invalid transitions have no effect, and each change is observed once`() async {
        let task = NetworkTask(Self.request, .authenticated)
        let states = task.states
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        task.resume()
        task.suspend()
        task.cancel()
        for change in [task.cancel, task.suspend, task.resume] { change() }
        #expect(task.state == .cancelled)
        let observed = await states.reduce(into: []) { $0.append($1) }
        #expect(observed == [.running, .suspended, .running, .suspended, .cancelled])
    }

    @Test func `A completed task cannot be cancelled, suspended or resumed`() async throws {
        let completion = Completion()
        let task = try #require(
            try ResourceServer().client().deviceClient
                .sendUnauthenticatedRequest(Self.request, completion: completion.handler)
        )
        _ = await completion.result()
        for change in [task.cancel, task.suspend, task.resume] { change() }
        #expect(task.state == .completed && task.error == nil && task.response?.statusCode == 200)
        #expect(completion.all.count == 1)
    }
}
