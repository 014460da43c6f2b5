import Crypto
import Foundation
import Sallyport
import TestSupport
import Testing

private let environment = ProcessInfo.processInfo.environment
private let killsInAll = environment["SALLYPORT_DOWNLOAD_KILLS"].flatMap { Int($0) } ?? 0

/// Downloads whose processes are killed. `SALLYPORT_DOWNLOAD_KILLS` sets the number of kills, and `SALLYPORT_SEED` selects
/// other moments.
@Suite(
    .enabled(
        if: RealServer.nginx != nil && RealServer.gateway != nil && killsInAll > 0,
        "run SALLYPORT_DOWNLOAD_KILLS=300 .ci/real-servers nginx gateway, with nothing beside it"
    ),
    .serialized,
    .busy
)
struct KilledDownloadTests {
    private static let seed = environment["SALLYPORT_SEED"].flatMap { UInt64($0) } ?? 6
    /// The bytes per second on each connection.
    private static let rate = 4_000_000
    private static let sizes = [10_000_000, 24_000_003, 12 << 20, 40_000_000]

    @Test func `Downloads killed at random points all complete, fetching hardly any bytes twice`()
        async throws
    {
        // One download at a time from each server: with more, killed processes would leave more bytes in transit.
        let figures = try await withThrowingTaskGroup(of: Figures.self) { group in
            for number in 0..<2 {
                let course = number.isMultiple(of: 2) ? Self.nginx(number) : Self.gateway(number)
                group.addTask { try await course.run(sizes: Self.sizes) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for server in ["nginx", "the gateway"] {
            let sum = figures.filter { $0.server == server }.reduce(Figures(server: server), +)
            print(sum)
            #expect(sum.passedTwice < 0.02)
        }
        #expect(figures.map(\.kills).reduce(0, +) == killsInAll)
    }

    private static func nginx(_ number: Int) -> Course {
        Course("nginx", at: RealServer.nginx ?? "", number, of: killsInAll, seed: seed) { name, bytes in
            try bytes.write(to: URL(fileURLWithPath: RealServer.nginxFiles ?? "").appendingPathComponent(name))
            return "/slow/\(name)"
        }
    }

    private static func gateway(_ number: Int) -> Course {
        let base = RealServer.gatewayTestRoutes ?? ""
        return Course("the gateway", at: base, number, of: killsInAll, seed: seed) { name, bytes in
            let response = try await HttpClient.createClient().request { request in
                request.url = "\(base)/files/\(name)"
                request.setMethod(.put)
                request.body = .data(bytes)
            }
            try #require(response.status.isSuccess())
            return "/files/\(name)?rate=\(rate)"
        }
    }
}

/// The numbers of the downloads from a server.
private struct Figures: CustomStringConvertible, Sendable {
    let server: String
    var kills = 0
    var files = 0
    /// The total size of the files.
    var size = 0
    /// The bytes that the server sent, including heads and bytes in transit when a process was killed.
    var passed = 0
    /// The bytes that the server sent in excess of the files, for downloads with one connection and with four.
    var beyond = (one: 0, four: 0)

    static func + (left: Figures, right: Figures) -> Figures {
        var sum = left
        sum.kills += right.kills
        sum.files += right.files
        sum.size += right.size
        sum.passed += right.passed
        sum.beyond.one += right.beyond.one
        sum.beyond.four += right.beyond.four
        return sum
    }

    var passedTwice: Double { Double(passed - size) / Double(max(size, 1)) }

    var description: String {
        let share = String(format: "%.2f", passedTwice * 100)
        return
            "\(server): \(kills) kills, \(files) files of \(size) bytes, \(passed) bytes from the server, \(share)% twice "
            + "(\(beyond.one) bytes of files in one stream, \(beyond.four) in four)"
    }
}

/// Sequential downloads from one server, whose processes are killed at random points.
private struct Course: Sendable {
    /// The average number of bytes between two kills.
    private static let stretch = 3_000_000

    private struct Events: Sendable {
        var passed = 0
        var ended = 0
    }

    private let server: String
    private let base: String
    private let number: Int
    private let kills: Int
    private let seed: UInt64
    private let place: @Sendable (String, Data) async throws -> String
    private let events = Watched(Events())

    /// - Parameters:
    ///   - base: The base URL of the server.
    ///   - number: The index of this course among the two that share the kills.
    ///   - place: Stores a file at the server, and returns its path and query.
    init(
        _ server: String,
        at base: String,
        _ number: Int,
        of kills: Int,
        seed: UInt64,
        place: @escaping @Sendable (String, Data) async throws -> String
    ) {
        self.server = server
        self.base = base
        self.number = number
        self.kills = (kills + 1 - number) / 2
        self.seed = seed &+ UInt64(number)
        self.place = place
    }

    /// Downloads files until the number of kills is reached.
    func run(sizes: [Int]) async throws -> Figures {
        let port = try #require(URL(string: base)?.port)
        return try await withCountingProxy(toPort: port) { [events] count in
            events.update { $0.passed += count }
        } _: { proxy in
            try await run(sizes: sizes, by: "http://127.0.0.1:\(proxy.port)")
        }
    }

    private func run(sizes: [Int], by proxy: String) async throws -> Figures {
        var generator = SeededGenerator(seed: seed)
        var figures = Figures(server: server)
        try await withTemporaryDirectory { directory in
            let folder = directory.appendingPathComponent("files")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var names: [String] = []
            while figures.kills < kills {
                let size = sizes[figures.files % sizes.count]
                let bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/urandom")).read(upToCount: size)
                let content = try #require(bytes)
                let url = try await proxy + place("killed-\(number)-\(figures.files % sizes.count).bin", content)
                names.append("file-\(figures.files).bin")
                let file = folder.appendingPathComponent("file-\(figures.files).bin")
                let isParallel = figures.files % 3 == 2
                let before = events.value.passed
                let log = directory.appendingPathComponent("log")
                try await fetch(url, ["--parallel", isParallel ? "4" : "1"], to: file, size, log, &figures, &generator)
                #expect(try SHA256.hash(data: Data(contentsOf: file)) == SHA256.hash(data: content))
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names.sorted())
                let passed = events.value.passed - before
                if isParallel { figures.beyond.four += passed - size } else { figures.beyond.one += passed - size }
                figures.passed += passed
                figures.files += 1
                figures.size += size
            }
        }
        return figures
    }

    private func fetch(
        _ url: String,
        _ options: [String],
        to file: URL,
        _ size: Int,
        _ log: URL,
        _ figures: inout Figures,
        _ generator: inout SeededGenerator
    ) async throws {
        let end = events.value.passed + size
        while !FileManager.default.fileExists(atPath: file.path) {
            let (passed, ended) = events.read { ($0.passed, $0.ended) }
            var point = passed + Int.random(in: 1...(2 * Self.stretch), using: &generator)
            // In some cases the process is killed while it completes the file.
            if point > end, Bool.random(using: &generator) {
                point = max(passed + 1, end + Int.random(in: -2_000...4_000, using: &generator))
            }
            if figures.kills >= kills { point = .max }
            let run = try DoomedRun(["download", url, file.path] + options, log: log) { [events] in
                events.update { $0.ended += 1 }
            }
            try await events.wait("\(url) to come", within: .seconds(120)) { [point] events in
                events.passed >= point || events.ended > ended
            }
            // The proxy has just forwarded the bytes, which the process handles within the next milliseconds.
            usleep(UInt32.random(in: 0...20_000, using: &generator))
            run.kill()
            try await events.wait("the process to end") { $0.ended > ended }
            if run.isKilled {
                figures.kills += 1
            } else if !FileManager.default.fileExists(atPath: file.path) {
                Issue.record("\(url): \(try String(contentsOf: log, encoding: .utf8))")
                return
            }
        }
    }
}

/// A run of the built command that can be killed.
private final class DoomedRun: Sendable {
    private let process = Process()

    /// - Parameters:
    ///   - log: The file for its output.
    ///   - ended: Called when the process has ended.
    init(_ arguments: [String], log: URL, ended: @escaping @Sendable () -> Void) throws {
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("sallyport")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { _ in ended() }
        try process.start()
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// A Boolean value that indicates whether the process was killed.
    var isKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }
}
