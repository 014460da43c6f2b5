import NIOCore
import TestSupport
import Testing

@testable import SallyportEngine

@Suite("The pace of reads", .concurrencyLimited)
struct ReadPaceTests {
    /// Whether there is a rest after the last of some reads, each so long after the one before.
    private func rests(after reads: [(bytes: Int, wait: TimeAmount)]) -> Bool {
        var pace = ReadPace()
        var now = NIODeadline.now()
        var rests = pace.endRead(at: now)
        for read in reads {
            now = now + read.wait
            pace.add(ByteBuffer(repeating: 1, count: read.bytes))
            rests = pace.endRead(at: now)
        }
        return rests
    }

    @Test("What comes so fast that a rest gives a large read is given a rest")
    func fast() {
        #expect(rests(after: [(16 << 10, .microseconds(20))]))
        #expect(rests(after: [(16 << 10, .microseconds(20)), (100_000, .microseconds(220))]))
    }

    @Test("What comes slower is read at once")
    func slow() {
        #expect(!rests(after: [(16 << 10, .microseconds(60))]))
        #expect(!rests(after: [(300, .microseconds(30))]))
        #expect(!rests(after: [(16 << 10, .microseconds(20)), (16 << 10, .microseconds(220))]))
    }

    @Test("A read that has left bytes behind is followed by another at once")
    func full() {
        #expect(!rests(after: [(512 << 10, .microseconds(20))]))
    }

    @Test("Nothing is no reason for a rest")
    func nothing() {
        #expect(!rests(after: []))
        #expect(!rests(after: [(16 << 10, .microseconds(20)), (0, .microseconds(0))]))
    }
}
