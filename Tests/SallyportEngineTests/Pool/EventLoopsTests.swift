import HTTPTypes
import NIOCore
import NIOPosix
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct EventLoopsTests {
    private static let hints = "HTTP/1.1 103 Early Hints\r\n\r\n"
    private static let end = "HTTP/1.1 204 No Content\r\n\r\n"

    @Test
    func `A call from an event loop uses a connection on that loop, both new and reused`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let engine = Engine(eventLoopGroup: group)
        let loops = Array(group.makeIterator())
        let (served, bothAreServed) = (Watched(0), Signal())
        let kept: Script = [.receiveRequest, .send(Self.hints + Self.end)]
        let script: Script =
            [.receiveRequest, .send(Self.hints), .waitFor(bothAreServed), .send(Self.end)] + kept + kept
        try await withScriptedServer([script + [.stall], script + [.stall]]) { server in
            let stays: @Sendable (any EventLoop) async throws -> Bool = { loop in
                let seen = Watched<[Bool]>([])
                try await withTaskExecutorPreference(LoopExecutor(loop)) {
                    var request = TransportRequest(
                        head: HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
                    )
                    request.onInformational = { _ in
                        seen.update { $0.append(loop.inEventLoop) }
                        served.update { $0 += 1 }
                        if served.value == 2 { bothAreServed.fire() }
                    }
                    _ = try await engine.send(request) { response in response.head.status }
                }
                return seen.value == [true]
            }
            async let first = stays(loops[1])
            try await served.wait("the first call") { $0 == 1 }
            async let second = stays(loops[0])
            let both = try await [first, second]
            #expect(both == [true, true])
            for loop in loops + loops { #expect(try await stays(loop)) }
            #expect(server.acceptedConnections == 2)
        }
        engine.close()
        try await group.shutdownGracefully()
    }

    @Test
    func `Consecutive exchanges use connections on one event loop, and concurrent exchanges all loops`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let loops = EventLoops(group)
        let chosen = [0, 0, 0, 1, 2, 3].map { ObjectIdentifier(loops.loop(with: $0).eventLoop) }
        let all = group.makeIterator().map { ObjectIdentifier($0) }
        #expect(chosen == [all[0], all[0], all[0], all[1], all[0], all[1]])
        try await group.shutdownGracefully()
    }
}

/// Runs tasks on an event loop.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
