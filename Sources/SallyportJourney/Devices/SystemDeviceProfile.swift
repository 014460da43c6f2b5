import Crypto
import Foundation
import Sallyport

/// Collects the properties of the device that the operating system provides.
///
/// The location is unknown to it.
///
/// ```swift
/// try await node.answerDeviceProfile(with: SystemDeviceProfile())
/// ```
public struct SystemDeviceProfile: DeviceProfileCollector {
    private let ownIdentifier: String?
    private let machineFile: String

    /// Creates a collector.
    ///
    /// - Parameter identifier: The identifier of the device for this app. If it is `nil`, it is derived from the identifier of the
    ///   Linux installation, `/etc/machine-id`, which is not revealed. Other systems have none: generate an identifier once and store it.
    public init(identifier: String? = nil) {
        self.init(identifier: identifier, machineFile: "/etc/machine-id")
    }

    init(identifier: String?, machineFile: String) {
        ownIdentifier = identifier
        self.machineFile = machineFile
    }

    /// Returns the identifier of the device for this app.
    ///
    /// - Throws: ``JourneyError/handler(_:)`` if there is none.
    public func identifier() throws(JourneyError) -> String {
        if let ownIdentifier { return ownIdentifier }
        let machine = (try? String(contentsOfFile: machineFile, encoding: .utf8))?.trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        guard let machine, !machine.isEmpty else {
            throw .handler(
                NetworkFailure(
                    "this device has no identifier in \(machineFile)",
                    advice: "generate an identifier, store it, and pass it to SystemDeviceProfile"
                )
            )
        }
        // The identifier of the machine is confidential (machine-id(5)), so a hash for this purpose is sent.
        let hash = HMAC<SHA256>.authenticationCode(
            for: Data("device".utf8),
            using: SymmetricKey(data: Data(machine.utf8))
        )
        return hash.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Returns the operating system, the processors and the memory of the device, its locale and its time zone.
    public func metadata() -> [String: JsonValue] {
        let process = ProcessInfo.processInfo
        let version = process.operatingSystemVersion
        return [
            "platform": [
                "platform": .string(StandardHeaders.platform),
                "version": .string("\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"),
                "locale": .string(Locale.current.identifier),
                "timeZone": .string(TimeZone.current.identifier),
            ],
            "hardware": [
                "cpu": .integer(Int64(process.activeProcessorCount)),
                "memory": .integer(Int64(clamping: process.physicalMemory >> 20)),
            ],
        ]
    }

    /// Returns `nil`: the location is unknown.
    public func location() -> DeviceLocation? { nil }
}
