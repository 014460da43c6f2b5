import Foundation
import Sallyport

/// The kind of a message.
public enum MessageType: Int, Sendable {
    /// Information.
    case information = 0
    /// A warning.
    case warning = 1
    /// An error.
    case error = 2
    /// A script for a browser, which must not be shown.
    case script = 4

    init?(_ text: String) {
        guard let type = Int(text).flatMap(MessageType.init(rawValue:)) else { return nil }
        self = type
    }
}

/// A text to show to the user.
public struct TextOutputCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback.
    public init?(_ raw: RawCallback) { self.raw = raw }

    /// The text.
    public var message: String { raw.text("message") }

    /// The kind of the text; `nil` if it is unknown.
    public var messageType: MessageType? { MessageType(raw.text("messageType")) }
}

/// A text that explains how the user continues a suspended tree, for example with a link in an email; see
/// ``Journey/resume(url:)``.
public struct SuspendedTextOutputCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback.
    public init?(_ raw: RawCallback) { self.raw = raw }

    /// The text.
    public var message: String { raw.text("message") }

    /// The kind of the text; `nil` if it is unknown.
    public var messageType: MessageType? { MessageType(raw.text("messageType")) }
}

/// A request to wait before the node is sent again, for example until the user has confirmed a notification; see
/// ``Node/poll(for:)``.
public struct PollingWaitCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback.
    public init?(_ raw: RawCallback) { self.raw = raw }

    /// The time to wait, at most an hour. If the server sent none, it is five seconds.
    public var waitTime: Duration {
        raw.integer("waitTime").map { .milliseconds(min(max(0, $0), 3_600_000)) } ?? .seconds(5)
    }

    /// The text to show in the meantime.
    public var message: String { raw.text("message") }
}

/// Data for the app.
public struct MetadataCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback.
    public init?(_ raw: RawCallback) { self.raw = raw }

    /// The data; `nil` if there is none.
    public var data: JsonDocument? { raw.output("data") }
}
