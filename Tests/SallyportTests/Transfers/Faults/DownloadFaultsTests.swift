import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportGateway

/// Downloads from the gateway through a proxy that spoils an answer: right bytes in the end, or a clear error.
@Suite(.busy, .serialized) struct DownloadFaultsTests {
    /// How the file is being fetched when the fault comes.
    enum Way: String, Sendable, CaseIterable {
        /// In the answer to the first request, for the whole.
        case single
        /// In the answer to a request for the rest of what an earlier download left.
        case resumed
        /// In the answer to one of several who fetch a part each.
        case parallel
    }

    enum Outcome: Sendable {
        /// The right bytes, with no request after the one that was spoiled.
        case right
        /// The right bytes, after other requests.
        case rightAfterMore
        /// An error that names what is not as announced, and nothing that is kept.
        case mismatch(String)
        /// An error of the call, and what has come before is kept.
        case failure(String)
    }

    /// A fault, the way of a download that meets it, and what has to come of it.
    struct Trial: Sendable, CustomTestStringConvertible {
        let fault: Fault
        let way: Way
        let outcome: Outcome
        /// Whether the server tells a digest.
        var hasDigest = false

        /// How long the server may be silent.
        var silence: Duration { fault.isSilence ? .seconds(1) : .patience }

        var testDescription: String { "\(way.rawValue): \(fault)\(hasDigest ? ", with a digest" : "")" }
    }

    private static func trials(
        _ outcome: Outcome,
        _ ways: [Way],
        hasDigest: Bool = false,
        _ faults: Fault...
    ) -> [Trial] {
        faults.flatMap { fault in
            ways.map { Trial(fault: fault, way: $0, outcome: outcome, hasDigest: hasDigest) }
        }
    }

    static let size = 600_000
    static let bytes = TestBytes.data(size)
    /// As large as a file has to be for several streams.
    static let largeBytes = TestBytes.data(9 << 20)

    static let connections =
        trials(.rightAfterMore, Way.allCases, .cut, .cutAtOnce, .cutBeforeTheEnd, .reset, .stall, .stallAtOnce)

    static let contents =
        trials(.mismatch("digest"), Way.allCases, hasDigest: true, .corrupt, .duplicated)
        + trials(.mismatch("digest"), [.single], hasDigest: true, .truncated, .longer)
        + trials(.rightAfterMore, [.resumed, .parallel], .truncated, .longer, .halved)
        + trials(.right, [.single, .resumed], .doubled)
        + trials(.right, [.parallel], .doubled)

    static let ranges =
        trials(
            .rightAfterMore,
            [.resumed, .parallel],
            .otherStart,
            .otherBytes,
            .otherTotal,
            .noRange,
            .badRange,
            .otherUnit,
            .multipart,
            .unsatisfiable
        )
        + trials(.mismatch("though the whole was asked for"), [.single], .unasked)
        + trials(.right, [.resumed], .whole(bytes)) + trials(.right, [.parallel], .whole(largeBytes))
        + trials(.mismatch("digest"), [.resumed], hasDigest: true, .partAsWhole)

    static let versions =
        trials(.rightAfterMore, [.resumed, .parallel], .otherTag, .weakTag)
        + trials(.right, [.single, .resumed, .parallel], .noTag) + trials(.right, [.single], .otherTag, .weakTag)

    static let codings =
        trials(.right, [.single], .zipped)
        + trials(.rightAfterMore, [.resumed, .parallel], .zipped, .saidToBeZipped, .unknownCoding)
        + trials(.mismatch("rot13"), [.single], .unknownCoding)
        + trials(.failure("gzip"), [.single], .saidToBeZipped)

    static let statuses =
        trials(.rightAfterMore, Way.allCases, .status(503))
        + trials(.failure("404"), [.single, .resumed], .status(404))
        + trials(.right, [.parallel], .status(404))

    @Test(
        "The right bytes, or a clear error",
        arguments: connections + contents + ranges + versions + codings + statuses
    )
    func fault(_ trial: Trial) async throws {
        let bytes = trial.way == .parallel ? Self.largeBytes : Self.bytes
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                let path = try await Self.place(bytes, hasDigest: trial.hasDigest, at: gateway.baseURL)
                try await withFaultyProxy(to: gateway.baseURL) { proxy, base in
                    let download = Self.Download(
                        url: base + path,
                        folder: folder,
                        way: trial.way,
                        silence: trial.silence
                    )
                    if trial.way == .resumed { try await download.leaveBeginning(proxy) }
                    let earlier = proxy.ranges.count
                    proxy.spoilNext(trial.fault, after: trial.way == .parallel ? 2 : 0)
                    let result = await download.result()
                    let later = proxy.ranges.count - earlier
                    try Self.check(trial.outcome, result, later, bytes, folder, trial.way)
                }
            }
        }
    }

    /// Gives the gateway a file.
    ///
    /// - Returns: Its path and query there.
    private static func place(_ bytes: Data, hasDigest: Bool, at base: String) async throws -> String {
        // The same bytes as TestBytes has, which the gateway makes itself, and of which it tells no digest.
        guard hasDigest else { return "/bytes/\(bytes.count)?seed=1" }
        let response = try await HttpClient.createClient().request { request in
            request.url = "\(base)/files/map.zip"
            request.setMethod(.put)
            request.body = .data(bytes)
        }
        try #require(response.status.isSuccess())
        return "/files/map.zip"
    }

    private struct Download: Sendable {
        let url: String
        let folder: URL
        let way: Way
        let silence: Duration

        /// - Parameter attempts: How often it is tried; retries do not wait.
        func result(attempts: Int = 10) async -> Result<DownloadedFile, TransferError> {
            let client = HttpClient.createClient { config in config.timeouts.idle = silence }
            var options = DownloadOptions()
            options.connections = way == .parallel ? 4 : 1
            options.retry = .constant(attempts: attempts, delay: .zero)
            let destination = DownloadDestination.file(folder.appendingPathComponent("map.zip"))
            return await client.download(to: destination, options: options) { $0.url = url }.result
        }

        /// Leaves what an earlier download has fetched.
        func leaveBeginning(_ proxy: FaultyProxy) async throws {
            proxy.spoilNext(Fault("cut after a third") { $0.ending = .cut(after: DownloadFaultsTests.size / 3) })
            guard case .failure(let error) = await result(attempts: 1) else { return }
            try #require(error.keptBytes == DownloadFaultsTests.size / 3)
        }
    }

    /// - Parameter later: How many requests there were since the fault was due.
    private static func check(
        _ outcome: Outcome,
        _ result: Result<DownloadedFile, TransferError>,
        _ later: Int,
        _ bytes: Data,
        _ folder: URL,
        _ way: Way
    ) throws {
        switch outcome {
        case .right, .rightAfterMore:
            let file = try result.get()
            try expectSame(Data(contentsOf: file.url), bytes)
            #expect(folder.fileNames == ["map.zip"])
            // Of several streams the first may have fetched all before another has asked, or been answered.
            if way == .parallel { return }
            if case .right = outcome { #expect(later == 1) } else { #expect(later > 1) }
        case .mismatch(let text):
            let error = try failure(result, containing: text)
            guard case .mismatch = error.reason else { throw error }
            #expect(folder.fileNames.isEmpty)
        case .failure(let text):
            let error = try failure(result, containing: text)
            switch error.reason {
            case .network, .status: break
            default: throw error
            }
            #expect(!folder.fileNames.contains("map.zip"))
            // What an earlier download had fetched is kept, and nothing else.
            let kept: Int64 = way == .resumed ? Int64(size / 3) : 0
            #expect(error.keptBytes == kept)
            #expect(folder.fileNames.isEmpty == (kept == 0))
        }
    }

    private static func failure(
        _ result: Result<DownloadedFile, TransferError>,
        containing text: String
    ) throws -> TransferError {
        guard case .failure(let error) = result else {
            Issue.record("it succeeded")
            throw CancellationError()
        }
        #expect(error.description.contains(text), "\(error)")
        return error
    }
}
