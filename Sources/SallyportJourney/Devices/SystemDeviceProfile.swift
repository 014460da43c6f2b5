import Crypto
import Foundation
import Sallyport
import SallyportTransport

/// Collects the properties of the device that the operating system provides.
///
/// The location is unknown to it.
///
/// ```swift
/// try await node.answerDeviceProfile(with: SystemDeviceProfile())
/// ```
public struct SystemDeviceProfile: DeviceProfileCollector {
    private let ownIdentifier: String?
    private let application: String
    private let machineFile: String

    /// Creates a collector.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the device for this app. If it is `nil`, it is derived from the identifier of the Linux
    ///     installation, `/etc/machine-id`, which is not revealed. Other systems, and containers of the same image, have none of their
    ///     own: generate an identifier once and store it.
    ///   - application: The identifier of your app. It ensures that other apps derive other identifiers of the device.
    public init(identifier: String? = nil, application: String = "sallyport") {
        self.init(identifier: identifier, application: application, machineFile: "/etc/machine-id")
    }

    init(identifier: String?, application: String = "sallyport", machineFile: String) {
        ownIdentifier = identifier
        self.application = application
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
        guard let machine, machine.utf8.count == 32, machine.allSatisfy(\.isHexDigit) else {
            throw .handler(
                NetworkFailure(
                    "this device has no identifier in \(machineFile)",
                    advice: "generate an identifier, store it, and pass it to SystemDeviceProfile"
                )
            )
        }
        // The identifier of the machine is confidential (machine-id(5)), so a hash for this purpose is sent.
        let hash = HMAC<SHA256>.authenticationCode(
            for: Data("device \(application)".utf8),
            using: SymmetricKey(data: Data(machine.utf8))
        )
        return hash.hexadecimal
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
