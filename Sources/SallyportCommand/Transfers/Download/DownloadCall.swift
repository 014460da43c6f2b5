import Foundation
import Sallyport
import SallyportTransfers

/// The downloads of one command. Its options have been checked.
struct DownloadCall: Sendable {
    private let targets: DownloadTargets
    private let requests: [HttpRequest]
    private let checksums: ChecksumSource?
    private let options: DownloadOptions
    private let skipsExisting: Bool
    private let display: TransferDisplay
    private let client: TransferClient
    private let run: TransferRun<DownloadedFile>

    /// - Throws: ``CommandFailure`` for the first option that cannot be used. In that case, nothing has been sent or
    ///   written.
    init(_ command: DownloadCommand) async throws {
        targets = try await command.files.targets(command.arguments)
        let headers = try await command.options.head.headers()
        for url in targets.urls { try RequestURL.check(url) }
        let recipients = try SecretRecipients(targets.typedURLs)
        var withheld: Set<String> = []
        requests = try targets.urls.map { url in
            try command.options.request(to: url, headers, recipients, withheld: &withheld)
        }
        checksums = try command.files.checksums.map { argument in
            try ChecksumSource(argument, command.options, headers, recipients, withheld: &withheld)
        }
        var options = command.files.options
        options.resumes = command.resume
        options.retry = command.options.retries.policy(replacing: options.retry)
        options.rateLimit = try command.options.connection.rateLimit()
        self.options = options
        skipsExisting = command.skipExisting
        display = command.options.display
        if !withheld.isEmpty {
            let names = withheld.map { VisibleText.line($0, longest: 100) }.sorted().joined(separator: ", ")
            display.warn("sent only to \(recipients): \(names)")
        }
        // A user in the URL of the checksum file applies to that file's server. Other credentials belong to the downloads' server.
        let named = [checksums?.address].compactMap(\.self).filter { $0.user != nil }
        client = try await TransferClient(command.options, for: targets.addresses + named, display: display)
        run = TransferRun(display: display, atOnce: command.atOnce, timeout: command.options.timeout)
        try targets.makeFolders()
    }

    /// Runs all downloads and reports the result of each.
    func run() async throws {
        let items = try targets.items(with: await checksums?.read(with: client))
        let jobs = zip(items, requests).map { item, request in
            TransferRun<DownloadedFile>.Job(name: targets.name(of: item)) {
                var options = options
                options.digest = item.digest ?? options.digest
                return client.client.download(request, to: targets.destination(of: item), options: options)
            }
        }
        var failures: [Int: ExitStatus] = [:]
        var canResume = false
        await run.run(jobs) { end in
            failures[end.index] = report(end)
            if case .failure(let error) = end.result, error.isCancellation, error.resumableBytes > 0 {
                canResume = true
            }
        }
        try await client.finish()
        if canResume, options.resumes {
            // Without the option, the command would refuse to replace the files that are complete.
            let skipsComplete = failures.count < jobs.count && !skipsExisting && options.existingFile == .fail
            display.warn("run the same command again\(skipsComplete ? " with --skip-existing" : "") to resume")
        }
        if let first = failures.min(by: { $0.key < $1.key }) { throw CommandFailure(first.value) }
    }

    /// Reports the result of a download.
    ///
    /// - Returns: The exit status if the download failed.
    private func report(_ end: TransferRun<DownloadedFile>.End) -> ExitStatus? {
        switch end.result {
        case .success(let file):
            display.inform(Self.summary(of: file, in: end.time))
            return nil
        case .failure(let error):
            if error.isCancellation {
                let name = targets.name(of: targets.items[end.index])
                let reason = end.isTimedOut ? "stopped after the time limit" : "stopped"
                display.warn("\(name): \(reason); \(Self.savedPart(of: error))")
                return end.isTimedOut ? .timeout : .interrupted
            }
            if skipsExisting, case .fileExists(let url) = error.reason {
                display.inform("\(FileNames.short(url)): already exists, skipped")
                return nil
            }
            if case .fileExists(let url) = error.reason, options.existingFile == .replace {
                display.warn(Self.isNotReplaced(url))
                return .writeError
            }
            let failure = client.failure(error, isWriting: true)
            display.warn(failure.message)
            return failure.status
        }
    }

    /// Returns the message for an existing file whose name the server has chosen.
    private static func isNotReplaced(_ file: URL) -> String {
        let name = ShellText.quoted(FileNames.short(file))
        return """
            \(file.path) already exists, and the server chose this name; --replace replaces only a file with the name at the end \
            of the URL. To replace this file, write it after the URL: sallyport download URL \(name)
            """
    }

    private static func summary(of file: DownloadedFile, in time: Duration) -> String {
        let size = Format.size(file.length)
        let fetched = file.fetchedBytes < file.length ? ", of which \(Format.size(file.fetchedBytes)) now," : ""
        let digest = file.digest.map { ", \($0.algorithm.rawValue) matches" } ?? ""
        let rate = Format.rate(file.fetchedBytes, in: time)
        return "\(FileNames.short(file.url)): \(size)\(fetched) in \(Format.time(time)), \(rate)\(digest)"
    }

    private static func savedPart(of error: TransferError) -> String {
        guard let file = error.partialFile, error.resumableBytes > 0 else { return "nothing was saved" }
        return "\(Format.size(error.resumableBytes)) saved in \(FileNames.short(file))"
    }
}
