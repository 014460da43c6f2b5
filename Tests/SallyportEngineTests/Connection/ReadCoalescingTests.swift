import NIOCore
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ReadCoalescingTests {
    /// Returns a Boolean value that indicates whether the read after the last of some reads is delayed.
    private func isDelayed(
        after reads: [(bytes: Int, wait: TimeAmount)],
        missing: Int64 = 1 << 30,
        isSecure: Bool = false
    ) -> Bool {
        var coalescing = ReadCoalescing(isSecure: isSecure)
        var now = NIODeadline.now()
        coalescing.readCompleted(at: now, missing: missing)
        for read in reads {
            now = now + read.wait
            coalescing.add(ByteBuffer(repeating: 1, count: read.bytes))
            coalescing.readCompleted(at: now, missing: missing)
        }
        return coalescing.takeDelay()
    }

    @Test
    func `A read is delayed if enough bytes arrive within the delay`() {
        #expect(isDelayed(after: [(16 << 10, .microseconds(20))]))
        #expect(isDelayed(after: [(16 << 10, .microseconds(20)), (100_000, .microseconds(220))]))
    }

    @Test
    func `Small or slow reads are not followed by a delay`() {
        #expect(!isDelayed(after: [(16 << 10, .microseconds(60))]))
        #expect(!isDelayed(after: [(300, .microseconds(30))]))
        #expect(!isDelayed(after: [(16 << 10, .microseconds(20)), (16 << 10, .microseconds(220))]))
    }

    @Test
    func `A read is not delayed near the end of a body, or if the length of the body is not known`() {
        #expect(!isDelayed(after: [(16 << 10, .microseconds(20))], missing: 1_000_000))
        #expect(!isDelayed(after: [(16 << 10, .microseconds(20))], missing: 0))
    }

    @Test
    func `Only one read is delayed at a time`() {
        var coalescing = ReadCoalescing(isSecure: false)
        let start = NIODeadline.now()
        coalescing.readCompleted(at: start, missing: 1 << 30)
        coalescing.add(ByteBuffer(repeating: 1, count: 16 << 10))
        coalescing.readCompleted(at: start + .microseconds(20), missing: 1 << 30)
        let delays = [coalescing.takeDelay(), coalescing.takeDelay()]
        #expect(delays == [true, false])
    }

    @Test
    func `A large read is not followed by a delay`() {
        #expect(!isDelayed(after: [(1 << 20, .microseconds(20))]))
        #expect(isDelayed(after: [(512 << 10, .microseconds(20))]))
        #expect(!isDelayed(after: [(500_000, .microseconds(20))], isSecure: true))
    }

    @Test
    func `An empty read is not followed by a delay`() {
        #expect(!isDelayed(after: []))
        #expect(!isDelayed(after: [(16 << 10, .microseconds(20)), (0, .microseconds(0))]))
    }
}
