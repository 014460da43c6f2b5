import Foundation
import Sallyport
import SallyportLoopback
import SallyportStorage

/// Records the requests of a command for a HAR file and a page in the browser.
struct TrafficCapture: Sendable {
    let recorder: TrafficRecorder
    /// The path of the HAR file; `nil` to write none.
    private let file: String?
    private let showsPage: Bool

    /// Creates the capture of `--har` and `--inspect`; `nil` if neither is set.
    ///
    /// - Throws: A failure if the file could not be written later. Nothing has been sent then.
    init?(_ options: OutputOptions) throws(CommandFailure) {
        if options.har == nil, !options.inspect { return nil }
        try self.init(file: options.har, showsPage: options.inspect)
    }

    /// Creates a capture.
    ///
    /// - Parameters:
    ///   - file: The path of the HAR file; `nil` to write none.
    ///   - showsPage: A Boolean value that indicates whether a page shows the requests.
    init(file: String?, showsPage: Bool) throws(CommandFailure) {
        if let file { try Self.check(file) }
        self.file = file
        self.showsPage = showsPage
        var limits = TrafficRecorder.Limits()
        limits.calls = 10_000
        limits.bytes = 256 << 20
        limits.bodyBytes = 1 << 20
        recorder = TrafficRecorder.ofNewClients ?? TrafficRecorder(limits: limits)
    }

    /// Runs the work of a command, and writes the file even if the work fails. With a page, returns when the command is interrupted.
    func run(_ work: () async throws -> Void) async throws {
        if !showsPage { return try await runAndSave(work) }
        try await TrafficInspector.withInspector(of: recorder) { inspector in
            StandardError.print("The requests are shown at \(inspector.url)")
            do {
                try await runAndSave(work)
            } catch {
                let message = EntryPoint.report(of: error, nil).message
                if !message.isEmpty { StandardError.print("sallyport: \(message)") }
                await waitForInterrupt()
                throw error
            }
            await waitForInterrupt()
        }
    }

    private func waitForInterrupt() async {
        if Task.isCancelled { return }
        CommandDeadline.current?.set(nil)
        StandardError.print("Press Control-C to close the page.")
        await TrafficInspector.waitForCancellation()
    }

    private func runAndSave(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch {
            try? save()
            throw error
        }
        try save()
    }

    private func save() throws(CommandFailure) {
        guard let file else { return }
        do {
            try PrivateFile.replace(URL(fileURLWithPath: file), with: try recorder.archive().data())
        } catch {
            throw WriteFailure.of("the HAR file", file, error)
        }
    }

    private static func check(_ path: String) throws(CommandFailure) {
        // The file is replaced, which would remove a device such as /dev/stdout.
        if let state = FileState(URL(fileURLWithPath: path), followingLinks: true), !state.isFile {
            throw CommandFailure(
                .writeError,
                """
                the HAR file \(path) cannot be written: it is not a regular file; write to a file, and print it afterwards
                """
            )
        }
        try WriteFailure.checkFolder(of: "the HAR file", path)
    }
}
