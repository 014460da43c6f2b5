import Glibc

/// A child process that has run to its end.
struct Child {
    let output: String
    let cpuMicroseconds: Double
    let wallMicroseconds: Double

    struct Failure: Error, CustomStringConvertible {
        let command: [String]
        let reason: String

        var description: String { "\(command.joined(separator: " ")): \(reason)" }
    }

    static func run(_ command: [String]) throws -> Child {
        let began = ContinuousClock.now
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(command: command, reason: "no pipe (\(errno))") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let problem = posix_spawnp(&process, command[0], &actions, nil, &arguments, environ)
        close(ends[1])
        defer { close(ends[0]) }
        guard problem == 0 else { throw Failure(command: command, reason: String(cString: strerror(problem))) }

        let output = readAll(from: ends[0])
        var (status, usage) = (Int32(0), rusage())
        // Unlike other ways to wait, this one returns the resource usage of this process alone.
        while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
        let wall = (ContinuousClock.now - began) / .microseconds(1)
        guard status == 0 else { throw Failure(command: command, reason: "ended with status \(status): \(output)") }
        return Child(
            output: output,
            cpuMicroseconds: microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
            wallMicroseconds: wall
        )
    }

    private static func readAll(from end: Int32) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(end, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    private static func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
}
