import Glibc

/// The resources that work has used in this process.
package struct Measurement: Sendable {
    package let cpuMicroseconds: Double
    package let wallMicroseconds: Double
    /// The peak resident memory of the process, in KiB.
    package let peakKiB: Int
    /// The resident memory before the work began, in KiB.
    package let restingKiB: Int

    package static func of(_ work: () async throws -> Void) async rethrows -> Measurement {
        let resting = Memory.resident.kib
        let (cpu, clock) = (cpuMicroseconds(), ContinuousClock.now)
        try await work()
        let wall = (ContinuousClock.now - clock) / .microseconds(1)
        return Measurement(
            cpuMicroseconds: Self.cpuMicroseconds() - cpu,
            wallMicroseconds: wall,
            peakKiB: Memory.peak.kib,
            restingKiB: resting
        )
    }

    /// Prints the measurement as a line of JSON for the parent process.
    package func report(calls: Int) {
        let calls = Double(calls)
        print(
            #"{"cpu_us_per_call":\#(cpuMicroseconds / calls),"wall_us_per_call":\#(wallMicroseconds / calls),"#
                + #""rss_mb":\#(Double(peakKiB) / 1024),"kib_per_call":\#(Double(peakKiB - restingKiB) / calls)}"#
        )
    }

    private static func cpuMicroseconds() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }
}

extension Job {
    /// The maximum number of tasks in a group. When a task ends, its group searches all its tasks for it.
    private static let groupSize = 100

    /// Makes the calls, distributed among the tasks.
    package func eachCall(_ calls: Int, _ call: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { groups in
            for first in stride(from: 0, to: tasks, by: Self.groupSize) {
                let range = first..<min(first + Self.groupSize, tasks)
                groups.addTask { try await eachCall(calls, ofTasks: range, call) }
            }
            try await groups.waitForAll()
        }
    }

    private func eachCall(
        _ calls: Int,
        ofTasks range: Range<Int>,
        _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in range {
                let own = calls / tasks + (task < calls % tasks ? 1 : 0)
                group.addTask {
                    for number in 0..<own { try await call(task + number * tasks) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Makes a tenth of the calls as a warm-up, and then measures all calls.
    package func measure(_ call: @escaping @Sendable (Int) async throws -> Void) async throws {
        if kind == .get || kind == .connect { try await eachCall(max(calls / 10, tasks), call) }
        let measurement = try await Measurement.of {
            if let seconds = options["watch"].flatMap(Int.init) {
                try await Watch().watching(every: .seconds(seconds)) { watch in
                    try await eachCall(calls) { number in
                        try await call(number)
                        watch.count()
                    }
                }
            } else {
                try await eachCall(calls, call)
            }
        }
        measurement.report(calls: calls)
    }
}
