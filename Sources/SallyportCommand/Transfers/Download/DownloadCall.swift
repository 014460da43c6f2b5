import Foundation
import Sallyport

/// The downloads of one command, checked in all their parts.
struct DownloadCall: Sendable {
    private let targets: DownloadTargets
    private let requests: [HttpRequest]
    private let options: DownloadOptions
    private let skipsExisting: Bool
    private let display: TransferDisplay
    private let client: TransferClient
    private let run: TransferRun<DownloadedFile>

    /// - Throws: ``CommandFailure`` naming the first thing that cannot be used. Nothing has been sent or written then.
    init(_ command: DownloadCommand) async throws {
        targets = try DownloadTargets(command.arguments, into: command.files.into, isFolder: FileNames.isFolder)
        let headers = try await command.options.head.headers()
        requests = try targets.urls.map { try command.options.request(to: $0, headers) }
        if requests.count > 1, command.files.digest != nil {
            throw CommandFailure(.usage, "--digest is that of one file, and there are \(requests.count) URLs")
        }
        var options = command.files.options
        options.resumes = command.resume
        options.retry = command.options.client.retries.transferPolicy ?? options.retry
        self.options = options
        skipsExisting = command.skipExisting
        display = command.options.client.display
        client = try await TransferClient(command.options.client, for: targets.addresses, display: display)
        run = TransferRun(display: display, atOnce: command.atOnce, timeout: command.options.client.timeout)
        if case .folder(let path) = targets.place { try FileNames.makeFolder(path) }
    }

    /// Downloads them all, and says what came of each.
    func run() async throws {
        let jobs = zip(targets.urls, requests).map { url, request in
            TransferRun<DownloadedFile>.Job(name: targets.name(of: url)) {
                client.client.download(request, to: targets.destination, options: options)
            }
        }
        var failures: [Int: ExitStatus] = [:]
        var isStoppedAndKept = false
        await run.run(jobs) { end in
            failures[end.index] = tell(end)
            if case .failure(let error) = end.result, error.isCancellation, error.keptBytes > 0 {
                isStoppedAndKept = true
            }
        }
        try await client.finish()
        // What was interrupted has been told, and the way to go on is the same for all.
        if isStoppedAndKept, options.resumes { display.warn("the same command goes on from what is kept") }
        if let first = failures.min(by: { $0.key < $1.key }) { throw CommandFailure(first.value) }
    }

    /// Says how a download ended.
    ///
    /// - Returns: The status, if it failed.
    private func tell(_ end: TransferRun<DownloadedFile>.End) -> ExitStatus? {
        switch end.result {
        case .success(let file):
            display.tell(Self.words(for: file, in: end.time))
            return nil
        case .failure(let error):
            if error.isCancellation {
                let name = targets.name(of: targets.urls[end.index])
                let reason = end.isTimedOut ? "it took too long, and was stopped" : "stopped"
                display.warn("\(name): \(reason); \(Self.kept(by: error))")
                return end.isTimedOut ? .timeout : .interrupted
            }
            if skipsExisting, case .fileExists(let url) = error.reason {
                display.tell("\(FileNames.short(url)): is there already, and was left alone")
                return nil
            }
            let failure = client.failure(error, writing: true)
            display.warn(failure.message)
            return failure.status
        }
    }

    private static func words(for file: DownloadedFile, in time: Duration) -> String {
        let size = Format.size(file.length)
        let fetched = file.fetchedBytes < file.length ? ", \(Format.size(file.fetchedBytes)) of them now," : ""
        let digest = file.digest.map { ", \($0.algorithm.rawValue) matches" } ?? ""
        let rate = Format.rate(file.fetchedBytes, in: time)
        return "\(FileNames.short(file.url)): \(size)\(fetched) in \(Format.time(time)), \(rate)\(digest)"
    }

    private static func kept(by error: TransferError) -> String {
        guard let file = error.partialFile, error.keptBytes > 0 else { return "nothing of it is kept" }
        return "\(Format.size(error.keptBytes)) are kept in \(FileNames.short(file))"
    }
}
