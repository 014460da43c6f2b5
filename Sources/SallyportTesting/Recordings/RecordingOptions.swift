import Foundation
import SallyportTransport

/// The settings of a ``RecordingTransport``.
///
/// ```swift
/// let recording = try RecordingTransport(file: file) { options in
///     options.matching.insert(.body)
///     options.ignoredNames = ["timestamp"]
///     options.secretNames = ["customer_number"]
/// }
/// ```
public struct RecordingOptions: Sendable {
    /// The condition under which calls are sent and recorded. The default is ``RecordingMode/automatic``.
    public var mode = RecordingMode.automatic

    /// The parts of a request that are compared with the recorded requests. The default is the method and the URL.
    ///
    /// Secrets are compared only by their names, because the recording does not contain their values.
    public var matching: Set<RecordedPart> = [.method, .origin, .path, .query]

    /// The names of query items, form fields and JSON members that are ignored in comparisons, for example because their values are
    /// timestamps or random. The names are not case-sensitive.
    public var ignoredNames: Set<String> = []

    /// The names of further secrets: of header fields, cookies, query items, form fields and JSON members. Case, hyphens and underscores
    /// are ignored.
    ///
    /// The names of usual secrets are known, such as `Authorization`, `access_token` and `password`.
    public var secretNames: Set<String> = []

    /// The names of values that are not secret, although secrets usually have these names, such as `token` in a language model's
    /// response. These values are stored. Case, hyphens and underscores are ignored.
    public var publicNames: Set<String> = []

    /// Texts that are masked wherever they occur, such as the account number of the test user.
    public var secretValues: Set<String> = []

    /// A Boolean value that indicates whether the last recorded response is used again for further requests of the same kind. By default,
    /// each recorded call is replayed once.
    public var allowsRepeats = false

    /// A Boolean value that indicates whether recorded calls may remain unused, as is usual for the archive of a browser.
    public var allowsUnused = false

    /// The maximum size of a body in bytes, 16 MiB by default. A longer body fails the call.
    public var maximumBodySize = 16 << 20

    /// The maximum size of the file in bytes, 256 MiB by default.
    public var maximumFileSize = 256 << 20

    /// The transport that sends calls while they are recorded. It is not closed with the recording. By default, the recording uses the
    /// transport of the platform.
    public var transport: (any Transport)?

    /// Creates the default settings.
    public init() {}
}

/// The condition under which a ``RecordingTransport`` sends and records calls, instead of replaying recorded ones.
public enum RecordingMode: String, Sendable, CaseIterable {
    /// The mode that the environment variable `SALLYPORT_RECORDING` names (`once`, `none` or `all`); if it is not set, ``once``.
    case automatic
    /// Calls are recorded if the file does not exist, and otherwise replayed.
    case once
    /// Calls are only replayed. It is an error if the file does not exist, so nothing is ever sent. Continuous integration should use it.
    case none
    /// Calls are always recorded, and replace the existing file.
    case all

    /// The name of the environment variable for ``automatic``.
    static let variable = "SALLYPORT_RECORDING"

    /// Returns the mode to use: not ``automatic``.
    ///
    /// - Throws: ``RecordingError/invalidMode(_:)`` if the environment variable has another value.
    func resolved(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(RecordingError) -> RecordingMode {
        guard self == .automatic else { return self }
        guard let name = environment[Self.variable], !name.isEmpty else { return .once }
        guard let mode = RecordingMode(rawValue: name), mode != .automatic else { throw .invalidMode(name) }
        return mode
    }
}

/// A part of a request that is compared with recorded requests; see ``RecordingOptions/matching``.
public enum RecordedPart: Sendable, Hashable {
    /// The method.
    case method
    /// The scheme, host and port.
    case origin
    /// The path of the URL, without the query.
    case path
    /// All items of the query, in any order.
    case query
    /// The items of the query with a name, for comparisons without the others.
    case queryItem(String)
    /// The header fields with a name, which is not case-sensitive.
    case header(String)
    /// The body. JSON and forms are compared by their values, so spaces and the order of members do not matter.
    case body
}
