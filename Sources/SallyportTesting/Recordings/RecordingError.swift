import Foundation
import SallyportTransport

/// An error of a recording. Its description states the file, the problem and what to do.
public enum RecordingError: Error, Sendable, Hashable {
    /// There is no file to replay, and the mode does not allow to record one.
    case missingFile(path: String)
    /// The file is not a readable HAR file.
    case unreadableFile(path: String, reason: String)
    /// The file cannot be written.
    case unwritableFile(path: String, reason: String)
    /// The name of a recording is empty, or is not a relative path below the folder `Recordings`.
    case invalidName(String)
    /// The environment variable `SALLYPORT_RECORDING` is not the name of a mode.
    case invalidMode(String)
    /// A test asked for its recording, but has none.
    case noRecording
    /// A test with arguments has a recording. Its cases would replace each other's file.
    case parameterizedTest(name: String)
    /// Calls of the test and of the recording do not match.
    case mismatches([RecordingMismatch])
}

extension RecordingError: CustomStringConvertible, LocalizedError {
    /// The problem and what to do.
    public var description: String {
        switch self {
        case .missingFile(let path):
            "the recording \(path) does not exist, and the mode none does not record; run the test once with "
                + "SALLYPORT_RECORDING=once, and commit the file"
        case .unreadableFile(let path, let reason): "the recording \(path) cannot be read: \(reason)"
        case .unwritableFile(let path, let reason): "the recording \(path) cannot be written: \(reason)"
        case .invalidName(let name):
            "\"\(VisibleText.line(name))\" is not a name of a recording; use a name such as users, or a path such as users/list"
        case .invalidMode(let name):
            "SALLYPORT_RECORDING is \"\(VisibleText.line(name))\", which is not a mode; use once, none or all"
        case .noRecording:
            "there is no current recording; add the trait .recording(\"name\") to the test, or call withRecording"
        case .parameterizedTest(let name):
            "the recording \(name) belongs to a test with arguments, whose cases would replace it; remove the trait, and "
                + "call withRecording(\"\(name)-\\(argument)\") in the test"
        case .mismatches(let mismatches): mismatches.map(\.description).joined(separator: "\n")
        }
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

/// A call that a test made and its recording does not contain, or the reverse.
public enum RecordingMismatch: Sendable, Hashable, CustomStringConvertible {
    /// A call that matches no recorded call.
    ///
    /// - Parameters:
    ///   - call: The method and URL, with secrets masked.
    ///   - file: The name of the recording.
    ///   - closest: The recorded call with the fewest differences; `nil` if the recording is empty.
    case unmatched(call: String, file: String, closest: ClosestRecording?)

    /// A recorded call that the test did not make.
    ///
    /// - Parameters:
    ///   - call: The method and URL.
    ///   - file: The name of the recording.
    ///   - number: The position in the recording, beginning with 1.
    case unused(call: String, file: String, number: Int)

    /// The problem, on several lines, and what to do.
    public var description: String {
        switch self {
        case .unmatched(let call, let file, nil):
            "\(call) matches no call of \(file), which contains no call.\n\(Self.advice)"
        case .unmatched(let call, let file, let closest?):
            """
            \(call) matches no call of \(file). The closest is call \(closest.number), \(closest.call):
            \(closest.differences.map { "  - \($0)" }.joined(separator: "\n"))
            \(Self.advice)
            """
        case .unused(let call, let file, let number):
            """
            Call \(number) of \(file) was not used: \(call).
            Remove it from the file, record the calls anew with SALLYPORT_RECORDING=all, or set allowsUnused.
            """
        }
    }

    private static let advice =
        "Record the calls anew with SALLYPORT_RECORDING=all, or change matching or ignoredNames of the recording's options."
}

/// The recorded call that is most similar to a call, and the reasons why it does not match.
public struct ClosestRecording: Sendable, Hashable {
    /// The position in the recording, beginning with 1.
    public var number: Int
    /// The method and URL.
    public var call: String
    /// The differences, such as `query item page: recorded 1, sent 2`.
    public var differences: [String]

    /// Creates a description of a recorded call.
    public init(number: Int, call: String, differences: [String]) {
        self.number = number
        self.call = call
        self.differences = differences
    }
}
