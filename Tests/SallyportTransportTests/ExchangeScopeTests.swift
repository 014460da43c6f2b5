import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ExchangeScopeTests {
    private struct Failed: Error {}

    @Test func `Cleanups run when the closure ends, the last registered first`() async throws {
        let log = Locked<[Int]>([])
        let result = await withExchangeScope { scope in
            for number in 1...3 { scope.onExit { log.withLock { $0.append(number) } } }
            #expect(log.withLock { $0 } == [])
            return "done"
        }
        #expect(result == "done")
        #expect(log.withLock { $0 } == [3, 2, 1])
    }

    @Test func `Cleanups that suspend and others run in one order`() async {
        let log = Locked<[Int]>([])
        let record = { @Sendable (number: Int) in log.withLock { $0.append(number) } }
        await withExchangeScope { scope in
            scope.onExit { record(1) }
            scope.onExit {
                await Task.yield()
                record(2)
            }
            scope.onExit { record(3) }
        }
        #expect(log.withLock { $0 } == [3, 2, 1])
    }

    @Test func `Cleanups run when the closure throws, and the error is rethrown`() async {
        let runs = Locked(0)
        await #expect(throws: Failed.self) {
            try await withExchangeScope { scope in
                scope.onExit { runs.withLock { $0 += 1 } }
                throw Failed()
            }
        }
        #expect(runs.withLock { $0 } == 1)
    }

    @Test func `A scope that has ended neither accepts nor runs further cleanups`() async {
        let scope = await withExchangeScope { $0 }
        #expect(!scope.onExit { Issue.record("a cleanup of an ended scope was run") })
    }

    @Test func `A cleanup cannot register another one while the scope ends`() async {
        let accepted = Locked<Bool?>(nil)
        await withExchangeScope { scope in
            _ = scope.onExit {
                let isOpen = scope.onExit {}
                accepted.withLock { $0 = isOpen }
            }
        }
        #expect(accepted.withLock { $0 } == false)
    }
}
