import ClientTestSupport
import Foundation
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@testable import SallyportGateway

/// Downloads from the gateway through a proxy that damages a response.
@Suite(.busy, .serialized) struct DownloadFaultsTests {
    /// The request that is affected by the fault.
    enum Way: String, Sendable, CaseIterable {
        /// The first request, for the complete file.
        case single
        /// The request for the remaining bytes of an earlier download.
        case resumed
        /// One of several parallel requests for ranges.
        case parallel
    }

    enum Outcome: Sendable {
        /// The right bytes, without further requests after the fault.
        case right
        /// The right bytes, after further requests.
        case rightAfterMore
        /// An error that states the difference from the announcement; no bytes are kept.
        case mismatch(String)
        /// An error of the call; the bytes received before are kept.
        case failure(String)
    }

    /// A fault, the download that it affects, and the expected outcome.
    struct Trial: Sendable, CustomTestStringConvertible {
        let fault: Fault
        let way: Way
        let outcome: Outcome
        /// A Boolean value that indicates whether the server sends a digest.
        var hasDigest = false

        /// The maximum time that the server may be silent.
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
    /// The minimum size of a file that is downloaded by several requests.
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
        + trials(.mismatch("although the complete file was requested"), [.single], .unasked)
        + trials(.right, [.resumed], .whole(bytes)) + trials(.right, [.parallel], .whole(largeBytes))
        + trials(.mismatch("digest"), [.resumed], hasDigest: true, .partAsWhole)

    static let versions =
        trials(.rightAfterMore, [.resumed, .parallel], .otherTag, .weakTag)
        + trials(.right, [.single, .resumed, .parallel], .noTag) + trials(.right, [.single], .otherTag, .weakTag)

    static let codings =
        trials(.right, [.single], .zipped)
        + trials(.rightAfterMore, [.resumed, .parallel], .zipped, .saidToBeZipped, .unsupportedCoding)
        + trials(.mismatch("compress"), [.single], .unsupportedCoding)
        + trials(.failure("gzip"), [.single], .saidToBeZipped)

    static let statuses =
        trials(.rightAfterMore, Way.allCases, .status(503))
        + trials(.failure("404"), [.single, .resumed], .status(404))
        + trials(.right, [.parallel], .status(404))

    @Test(arguments: connections + contents + ranges + versions + codings + statuses)
    func `Each fault ends with the right bytes or a specific error`(_ trial: Trial) async throws {
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

    /// Uploads a file to the gateway.
    ///
    /// - Returns: The path and query of the file.
    private static func place(_ bytes: Data, hasDigest: Bool, at base: String) async throws -> String {
        // The same bytes as TestBytes, which the gateway generates, and for which it sends no digest.
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

        /// - Parameter attempts: The maximum number of attempts; retries do not wait.
        func result(attempts: Int = 10) async -> Result<DownloadedFile, TransferError> {
            let client = HttpClient.createClient { config in config.timeouts.idle = silence }
            var options = DownloadOptions()
            options.connections = way == .parallel ? 4 : 1
            options.retry = .constant(attempts: attempts, delay: .zero)
            let destination = DownloadDestination.file(folder.appendingPathComponent("map.zip"))
            return await client.download(to: destination, options: options) { $0.url = url }.result
        }

        /// Creates the partial file of an earlier download.
        func leaveBeginning(_ proxy: FaultyProxy) async throws {
            proxy.spoilNext(Fault("cut after a third") { $0.ending = .cut(after: DownloadFaultsTests.size / 3) })
            guard case .failure(let error) = await result(attempts: 1) else { return }
            try #require(error.resumableBytes == DownloadFaultsTests.size / 3)
        }
    }

    /// - Parameter later: The number of requests since the fault was due.
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
            // The third of several parallel requests has the fault; their number depends on their progress.
            if way == .parallel { return #expect(later > 2) }
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
            // Only the bytes of the earlier download are kept.
            let kept: Int64 = way == .resumed ? Int64(size / 3) : 0
            #expect(error.resumableBytes == kept)
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
