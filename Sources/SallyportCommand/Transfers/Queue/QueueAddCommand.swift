import ArgumentParser
import Foundation
import Sallyport
import SallyportTransfers

/// Adds transfers to the queue.
struct QueueAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds downloads or an upload, and prints the identifier of each.",
        usage: """
            sallyport queue add <url> [<file>] [<options>]
            sallyport queue add <url> ... [--into <folder>] [<options>]
            sallyport queue add --input <file> [--into <folder>] [<options>]
            sallyport queue add <key>=<file> ... <url> [<options>]
            """,
        discussion: """
            The arguments have the form of download if the first one is a URL or there is a list, and otherwise the form of \
            upload. The files of an upload are read when it runs, and must exist until then. A download whose file exists \
            already is refused, unless --replace or --number is used.

            For credentials or other options of connections, use queue watch instead of --watch.
            """
    )

    @Argument(help: ArgumentHelp("The URLs or files to transfer.", valueName: "url"), completion: .file())
    var arguments: [String] = []

    @OptionGroup(title: "Download Options")
    var files: DownloadFileOptions

    @Option(help: "The method of an upload: post, put or patch. (default: post for a form, put for a file)")
    var method: UploadMethod?

    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header that is not a secret, or a file with a header on each line. (repeatable)",
            valueName: "Name: value|@file|@-"
        ),
        transform: HeaderSource.init
    )
    var header: [HeaderSource] = []

    @Option(help: ArgumentHelp("The identifier of the transfer. (default: random)", valueName: "identifier"))
    var id: String?

    @Option(help: "The priority among waiting transfers: low, normal or high.")
    var priority: PriorityChoice = .normal

    @Flag(help: "Then run all transfers of the queue until they have ended, as queue watch does.")
    var watch = false

    @OptionGroup(title: "Queue Options")
    var queue: QueueOptions

    func validate() throws {
        if arguments.isEmpty, files.input == nil {
            throw ValidationError("The URL is missing; specify a URL, or a list of URLs with --input FILE.")
        }
        try StandardInputUses.check(
            files.standardInputUses + header.filter(\.isStandardInput).map { _ in "--header" }
        )
    }

    func run() async throws {
        let works = try await self.works()
        if works.count > 1, id != nil {
            throw CommandFailure(.usage, "--id applies to one transfer, but there are \(works.count)")
        }
        try await queue.withQueue { queue in
            let old = id == nil ? nil : try await queue.transfers().first { $0.identifier == id }
            if old == nil { for work in works { try checkDestination(of: work) } }
            for work in works {
                let identifier = id ?? QueueIdentifier.random()
                let transfer = QueuedTransfer(work, identifier: identifier, priority: priority.priority)
                if let name = transfer.secretHeader { throw isSecret(name) }
                print(try await queue.enqueue(transfer))
            }
            if let old { reportEnd(of: old) }
        }
        if watch {
            // With the options of the configuration file.
            let arguments = Array(try CommandArguments(["queue", "watch"]).all.dropFirst(2))
            var command = try QueueWatchCommand.parse(arguments)
            command.options.queue = queue
            try await command.run()
        }
    }

    /// Refuses a download if its file is a device or pipe, or exists and must not be replaced. If that depends on the name that the server
    /// chooses, prints a warning.
    private func checkDestination(of work: QueuedTransfer.Work) throws(CommandFailure) {
        guard case .download(let download) = work else { return }
        if case .file(let file) = download.destination { try WriteFailure.checkKind(of: file.path) }
        guard download.existingFile == .fail else { return }
        switch download.destination {
        case .file(let file):
            guard FileManager.default.fileExists(atPath: file.path) else { return }
            throw CommandFailure(
                .writeError,
                "\(file.path) already exists; --replace replaces it, and --number keeps both files"
            )
        case .folder(let folder):
            let file = folder.appendingPathComponent(FileNames.last(of: download.url))
            guard FileManager.default.fileExists(atPath: file.path) else { return }
            StandardError.print(
                """
                sallyport: \(FileNames.short(file)) already exists; the transfer fails unless the server chooses another name: \
                add it with --replace or --number
                """
            )
        }
    }

    /// - Throws: A failure for a URL that cannot be used, or that contains a user.
    private func check(_ address: RequestURL) throws(CommandFailure) {
        try RequestURL.check(address.text)
        if address.user == nil { return }
        throw CommandFailure(
            .usage,
            """
            the URL \(address.text) contains a user, but a queue stores no passwords; omit it, and pass the credentials to \
            the command that runs the transfers: \(queue.command("watch")) with --user and --server
            """
        )
    }

    private func isSecret(_ header: String) -> CommandFailure {
        CommandFailure(
            .usage,
            """
            the header \(header) contains a secret, but a queue stores no secrets; pass the credentials to the command \
            that runs the transfers: \(queue.command("watch")) with --auth, or with --user and --server
            """
        )
    }

    /// Reports that an existing transfer with the same identifier has ended and is not repeated.
    private func reportEnd(of report: TransferReport) {
        guard let end = report.state.endDescription else { return }
        let again =
            report.state == .finished
            ? queue.adviceToRepeat(report)
            : "to retry it: \(queue.command("retry", [report.identifier]))"
        StandardError.print("sallyport: \(report.identifier) \(end); \(again)")
    }

    private func works() async throws -> [QueuedTransfer.Work] {
        var headers: [String: String] = [:]
        for source in header {
            for header in try await source.headers() {
                let value = header.value.trimmingCharacters(in: .whitespaces)
                guard headers.updateValue(value, forKey: header.name) == nil else {
                    throw CommandFailure(.usage, "a header of a queued transfer can be specified only once")
                }
            }
        }
        if arguments.first.map(RequestURL.isURL) == true || files.input != nil {
            return try await downloads(headers).map { .download($0) }
        }
        return [.upload(try upload(headers))]
    }

    private func downloads(_ headers: [String: String]) async throws -> [QueuedDownload] {
        if method != nil { throw CommandFailure(.usage, "--method applies to uploads only") }
        let targets = try await files.targets(arguments)
        for address in targets.addresses { try check(address) }
        let items = try targets.items(with: await checksums())
        try targets.makeFolders()
        let options = files.options
        return items.map { item in
            var download = QueuedDownload(item.url, to: targets.destination(of: item))
            download.headers = headers
            download.existingFile = options.existingFile
            download.digest = item.digest ?? options.digest
            download.maximumSize = options.maximumSize
            download.connections = options.connections
            return download
        }
    }

    /// Returns the checksum file, which must not be a URL, because this command sends no requests.
    private func checksums() async throws -> ChecksumList? {
        guard let checksums = files.checksums else { return nil }
        if RequestURL.isURL(checksums) {
            throw CommandFailure(
                .usage,
                """
                queue add sends no requests, so --checksums needs a file; download it first: sallyport get \
                \(ShellText.quoted(RequestURL(checksums).text)) -o \(ShellText.quoted(FileNames.last(of: checksums)))
                """
            )
        }
        return try await ChecksumList.read(checksums)
    }

    private func upload(_ headers: [String: String]) throws -> QueuedUpload {
        let contents = try UploadContents(arguments)
        try check(contents.address)
        for part in contents.files { _ = try InputFile(part.path) }
        var headers = headers
        var upload: QueuedUpload
        switch contents.content {
        case .file(let part):
            upload = QueuedUpload(.file(URL(fileURLWithPath: part.path)), to: contents.url)
            if !headers.keys.contains(where: { $0.lowercased() == "content-type" }) {
                headers["Content-Type"] = part.contentType ?? MediaType.ofFile(named: part.filename ?? part.path)
            }
        case .form(let parts):
            let queued = parts.map { part in
                QueuedUpload.Part(
                    name: part.name,
                    file: URL(fileURLWithPath: part.path),
                    filename: part.filename,
                    contentType: part.contentType
                )
            }
            upload = QueuedUpload(.form(queued), to: contents.url)
        }
        upload.method = (method?.method ?? contents.standardMethod).rawValue
        upload.headers = headers
        return upload
    }
}

/// The priority of a waiting transfer.
enum PriorityChoice: String, CaseIterable, ExpressibleByArgument {
    case low, normal, high

    var priority: QueuedTransfer.Priority {
        switch self {
        case .low: .low
        case .normal: .normal
        case .high: .high
        }
    }
}

/// Creates identifiers that are short enough to type.
enum QueueIdentifier {
    static func random() -> String {
        String((0..<8).compactMap { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement() })
    }
}
