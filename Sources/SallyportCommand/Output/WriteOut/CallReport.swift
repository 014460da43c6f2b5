import Foundation
import Sallyport

/// The output of `--write-out` and `--timings` after a call.
struct CallReport: Sendable {
    let measurements: CallMeasurements
    private let format: WriteOutFormat?
    private let showsTimings: Bool
    private let url: String
    private let filename: String?

    /// Returns `nil` if neither option is set.
    ///
    /// - Throws: A failure if the format cannot be read, or has a variable that does not exist; `CancellationError`.
    init?(_ options: OutputOptions, url: String, filename: String?) async throws {
        guard options.writeOut != nil || options.timings else { return nil }
        format = if let text = options.writeOut { try await WriteOutFormat(option: text) } else { nil }
        showsTimings = options.timings
        measurements = CallMeasurements(asksForCompression: options.compressed)
        self.url = url
        self.filename = filename.flatMap { $0 == "-" ? nil : $0 }
    }

    /// Runs a call, and writes the output after its end or its failure.
    func run(_ work: () async throws -> Void) async throws {
        measurements.start()
        do {
            try await work()
        } catch {
            let failure = (error as? any ReportableError)?.commandFailure
            // After an interrupt, or when nobody reads the output, nothing is written.
            if let failure, failure.status != .interrupted, !Task.isCancelled { try? await write(failure) }
            throw error
        }
        try await write(nil)
    }

    private func write(_ failure: CommandFailure?) async throws {
        let call = measurements.end()
        if let format {
            let values = WriteOutValues(call: call, failure: failure, url: url, filename: filename)
            let output = format.output(of: values) { isatty($0 ? STDERR_FILENO : STDOUT_FILENO) == 1 }
            for part in output {
                if part.isStandardError {
                    StandardError.draw(part.text)
                } else {
                    try await StandardOutput.write(Data(part.text.utf8))
                }
            }
        }
        if showsTimings { for line in Timings.lines(call) { StandardError.print(line) } }
    }
}
