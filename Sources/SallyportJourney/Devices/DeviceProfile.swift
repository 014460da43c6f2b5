import Foundation
import Sallyport
import SallyportOAuth

/// A description of a device, by which a server recognizes it and estimates the risk of a sign-in.
public struct DeviceProfile: Sendable, Equatable, Codable {
    /// An identifier of the device for this app, which is the same at each sign-in.
    public var identifier: String
    /// The properties of the device; `nil` if the server did not ask for them.
    public var metadata: [String: JsonValue]?
    /// The location of the device; `nil` if the server did not ask for it, or if it is unknown.
    public var location: DeviceLocation?

    /// Creates a profile.
    public init(identifier: String, metadata: [String: JsonValue]? = nil, location: DeviceLocation? = nil) {
        self.identifier = identifier
        self.metadata = metadata
        self.location = location
    }
}

/// A position on the earth, in degrees.
public struct DeviceLocation: Sendable, Hashable, Codable {
    /// The latitude, from -90 to 90.
    public var latitude: Double
    /// The longitude, from -180 to 180.
    public var longitude: Double

    /// Creates a location.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A type that collects the properties of the device for a ``DeviceProfileCallback``.
///
/// ``SystemDeviceProfile`` collects what the operating system provides. An app that knows more, such as the location, implements the
/// protocol:
///
/// ```swift
/// struct LocatedDevice: DeviceProfileCollector {
///     let system = SystemDeviceProfile(identifier: installationID)
///     func identifier() throws -> String { try system.identifier() }
///     func metadata() -> [String: JsonValue] { system.metadata() }
///     func location() async throws -> DeviceLocation? { try await locate() }
/// }
/// ```
public protocol DeviceProfileCollector: Sendable {
    /// Returns an identifier of the device for this app, which is the same at each call.
    func identifier() async throws -> String

    /// Returns the properties of the device.
    func metadata() async throws -> [String: JsonValue]

    /// Returns the location of the device; `nil` if it is unknown or the user does not allow it.
    func location() async throws -> DeviceLocation?
}

/// A request for the properties of the device; see ``Node/answerDeviceProfile(with:)``.
public struct DeviceProfileCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// A Boolean value that indicates whether the server asks for the properties of the device.
    public var requestsMetadata: Bool { raw.flag("metadata") }
    /// A Boolean value that indicates whether the server asks for the location.
    public var requestsLocation: Bool { raw.flag("location") }
    /// The text to show in the meantime.
    public var message: String { raw.text("message") }

    /// The answer.
    public var profile: DeviceProfile? {
        raw.answer()?.string.flatMap { try? JSONDecoder().decode(DeviceProfile.self, from: Data($0.utf8)) }
    }

    /// Sets the answer.
    ///
    /// - Throws: ``JourneyError/invalidAnswer(_:)`` if the profile contains a number that is not finite.
    public mutating func setProfile(_ profile: DeviceProfile) throws(JourneyError) {
        guard let text = try? JSONEncoder.ordered.encode(profile) else {
            throw raw.invalidAnswer("the profile cannot be encoded as JSON")
        }
        raw.answer(.string(String(decoding: text, as: UTF8.self)))
    }

    /// The profile, until it has been set.
    public var missingAnswer: String? { raw.answer() == nil ? "the profile of the device" : nil }
}

extension Node {
    /// Collects the properties of the device that the server asks for, and sets them as answer. If the node does not ask for a device
    /// profile, nothing happens.
    ///
    /// ```swift
    /// try await node.answerDeviceProfile(with: SystemDeviceProfile())
    /// ```
    ///
    /// - Parameter collector: The collector of the properties.
    /// - Throws: ``JourneyError/handler(_:)`` for an error of the collector, ``JourneyError/invalidAnswer(_:)``.
    public mutating func answerDeviceProfile(with collector: some DeviceProfileCollector) async throws(JourneyError) {
        guard var callback = self[DeviceProfileCallback.self] else { return }
        do {
            var profile = DeviceProfile(identifier: try await collector.identifier())
            if callback.requestsMetadata { profile.metadata = try await collector.metadata() }
            if callback.requestsLocation { profile.location = try await collector.location() }
            try callback.setProfile(profile)
        } catch {
            throw JourneyError(wrapping: error, reason: "the profile of the device could not be collected")
        }
        self[DeviceProfileCallback.self] = callback
    }
}
