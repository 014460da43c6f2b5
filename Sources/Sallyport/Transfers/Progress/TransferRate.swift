/// The rate of a transfer over the last few seconds. Pure: it is told the time.
struct TransferRate: Sendable {
    private static let span = Duration.seconds(5)
    private static let step = Duration.milliseconds(100)

    private var samples: [(time: ContinuousClock.Instant, bytes: Int64)] = []

    var sampleCount: Int { samples.count }

    /// Takes note of how many bytes there are now.
    mutating func note(_ bytes: Int64, at now: ContinuousClock.Instant) {
        // It has begun anew.
        if let last = samples.last, bytes < last.bytes { reset() }
        if let last = samples.last, now - last.time < Self.step, samples.count > 1 {
            samples[samples.count - 1].bytes = bytes
        } else {
            samples.append((now, bytes))
        }
        while samples.count > 2, now - samples[0].time > Self.span { samples.removeFirst() }
    }

    /// Forgets what was before a pause.
    mutating func reset() {
        samples = []
    }

    /// Bytes in a second; 0 until there is enough to tell by.
    func bytesPerSecond(at now: ContinuousClock.Instant) -> Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        let seconds = (now - first.time) / .seconds(1)
        return now - first.time >= Self.step ? Double(max(last.bytes - first.bytes, 0)) / seconds : 0
    }
}
