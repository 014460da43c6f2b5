import Sallyport
import SallyportOAuth

/// A question of a ``Node``, and the user's answer.
///
/// There is a type for each type of callback that PingAM sends. A callback of an unknown type is a ``RawCallback``. To give it a type
/// of your own, conform to this protocol and register the type in ``CallbackTypes``:
///
/// ```swift
/// struct BadgeCallback: Callback {
///     var raw: RawCallback
///
///     init?(_ raw: RawCallback) {
///         guard raw.hasInput() else { return nil }
///         self.raw = raw
///     }
///
///     var prompt: String { raw.output("prompt")?.string ?? "" }
///     var badge: String? {
///         get { raw.answer()?.string }
///         set { raw.answer(newValue.map { .string($0) }) }
///     }
/// }
///
/// callbackTypes.register(BadgeCallback.self, for: "BadgeCallback")
/// ```
public protocol Callback: Sendable, CustomStringConvertible, CustomReflectable {
    /// The callback as it was received, and its answers.
    var raw: RawCallback { get set }

    /// Creates a typed callback; returns `nil` if the received callback does not have the form of this type.
    init?(_ raw: RawCallback)

    /// A description of the answer that must be set before the node can be sent, such as `the name`; `nil` if none is missing.
    ///
    /// The default implementation returns `nil`.
    var missingAnswer: String? { get }
}

extension Callback {
    /// Returns `nil`: no answer is required.
    public var missingAnswer: String? { nil }

    /// The type of the callback. Neither its outputs, which may contain secrets, nor its answers are shown.
    public var description: String { SanitizedText.make(from: raw.type) }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["callback": description], displayStyle: .struct) }
}
