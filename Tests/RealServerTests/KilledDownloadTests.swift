import Crypto
import Foundation
import Sallyport
import TestSupport
import Testing

/// Downloads whose processes are killed. `SALLYPORT_DOWNLOAD_KILLS=300` kills so many of them, `SALLYPORT_SEED` at other
/// moments.
@Suite(
    "Killed downloads",
    .enabled(if: RealServer.nginx != nil && RealServer.gateway != nil, "run .ci/real-servers nginx gateway"),
    .serialized,
    .busy
)
struct KilledDownloadTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let kills = environment["SALLYPORT_DOWNLOAD_KILLS"].flatMap { Int($0) } ?? 30
    private static let seed = environment["SALLYPORT_SEED"].flatMap { UInt64($0) } ?? 6
    /// A second, on each connection.
    private static let rate = 8_000_000
    private static let sizes = [10_000_000, 24_000_003, 16 << 20, 40_000_000]

    @Test("killed at random points and started again they all end with the right bytes, and fetch hardly any twice")
    func kills() async throws {
        let nginx = Course("nginx", kills: Self.kills - Self.kills / 2, seed: Self.seed) { name, bytes in
            try bytes.write(to: URL(fileURLWithPath: RealServer.nginxFiles ?? "").appendingPathComponent(name))
            return "\(RealServer.nginx ?? "")/slow/\(name)"
        }
        let gateway = Course("the gateway", kills: Self.kills / 2, seed: Self.seed + 1) { name, bytes in
            let url = "\(RealServer.gateway ?? "")/files/\(name)"
            let response = try await HttpClient.createClient().request { request in
                request.url = url
                request.setMethod(.put)
                request.body = .data(bytes)
            }
            try #require(response.status.isSuccess())
            return "\(url)?rate=\(Self.rate)"
        }
        async let first = nginx.run(sizes: Self.sizes)
        async let second = gateway.run(sizes: Self.sizes)
        for figures in try await [first, second] {
            print(figures)
            #expect(figures.passedTwice < 0.02)
        }
    }
}

/// What came of the downloads from a server.
private struct Figures: CustomStringConvertible, Sendable {
    let server: String
    var kills = 0
    var files = 0
    /// What the files have.
    var size = 0
    /// What the server gave: heads, and what was on its way when a process was killed, included.
    var passed = 0

    var passedTwice: Double { Double(passed - size) / Double(max(size, 1)) }

    var description: String {
        let share = String(format: "%.2f", passedTwice * 100)
        return
            "\(server): \(kills) kills, \(files) files of \(size) bytes, \(passed) bytes from the server, \(share)% twice"
    }
}

/// Downloads from one server, one after the other, each killed now and then.
private struct Course: Sendable {
    /// How many bytes come between two kills, on average.
    private static let stretch = 2_000_000

    private struct Events: Sendable {
        var passed = 0
        var ended = 0
    }

    private let server: String
    private let kills: Int
    private let seed: UInt64
    private let place: @Sendable (String, Data) async throws -> String
    private let events = Watched(Events())

    /// - Parameter place: Gives the server a file, and tells its URL.
    init(
        _ server: String,
        kills: Int,
        seed: UInt64,
        place: @escaping @Sendable (String, Data) async throws -> String
    ) {
        self.server = server
        self.kills = kills
        self.seed = seed
        self.place = place
    }

    func run(sizes: [Int]) async throws -> Figures {
        var generator = SeededGenerator(state: seed)
        var figures = Figures(server: server)
        try await withTemporaryDirectory { directory in
            let folder = directory.appendingPathComponent("files")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var names: [String] = []
            while figures.kills < kills {
                let size = sizes[figures.files % sizes.count]
                let bytes = SeededGenerator.bytes(size, seed: seed &+ UInt64(figures.files))
                let url = try await place("killed-\(figures.files % sizes.count).bin", bytes)
                names.append("file-\(figures.files).bin")
                let file = folder.appendingPathComponent("file-\(figures.files).bin")
                let parallel = figures.files % 3 == 2 ? "4" : "1"
                let log = directory.appendingPathComponent("log")
                try await fetch(url, ["--parallel", parallel], to: file, size, log, &figures, &generator)
                #expect(try SHA256.hash(data: Data(contentsOf: file)) == SHA256.hash(data: bytes))
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names.sorted())
                figures.files += 1
                figures.size += size
            }
        }
        figures.passed = events.value.passed
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
        let parts = try #require(URLComponents(string: url))
        let port = try #require(parts.port)
        let end = events.value.passed + size
        while !FileManager.default.fileExists(atPath: file.path) {
            let (passed, ended) = events.read { ($0.passed, $0.ended) }
            var point = passed + Int.random(in: 1...(2 * Self.stretch), using: &generator)
            // Now and then while the file is being finished.
            if Int.random(in: 0..<6, using: &generator) == 0 {
                point = end + Int.random(in: 0...4_000, using: &generator)
            }
            if figures.kills >= kills { point = .max }
            let isKilled = try await withCountingProxy(
                toPort: port,
                count: { [events] count in events.update { $0.passed += count } }
            ) { [point] proxy in
                let there = url.replacingOccurrences(of: ":\(port)/", with: ":\(proxy.port)/")
                let run = try DoomedRun(["download", there, file.path] + options, log: log) { [events] in
                    events.update { $0.ended += 1 }
                }
                try await events.wait("\(there) to come", within: .seconds(120)) { events in
                    events.passed >= point || events.ended > ended
                }
                run.kill()
                try await events.wait("the process to end") { $0.ended > ended }
                return run.isKilled
            }
            if isKilled {
                figures.kills += 1
            } else if !FileManager.default.fileExists(atPath: file.path) {
                Issue.record("\(url): \(try String(contentsOf: log, encoding: .utf8))")
                return
            }
        }
    }
}

/// A run of the built command, which may be killed.
private final class DoomedRun: Sendable {
    private let process = Process()

    /// - Parameters:
    ///   - log: Where its words go.
    ///   - ended: Called at its end.
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
        try process.run()
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Whether that was its end.
    var isKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }
}

/// A generator of chance that always gives the same numbers.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    static func bytes(_ count: Int, seed: UInt64) -> Data {
        var generator = SeededGenerator(state: seed)
        let words = (0..<(count / 8 + 1)).map { _ in generator.next() }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }
}
