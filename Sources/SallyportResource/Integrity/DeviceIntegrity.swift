import Foundation
import Sallyport
import SallyportTransport

/// A check of the process, the device or its versions that can refuse resource calls.
public enum IntegrityCheck: String, Sendable, Codable, CaseIterable {
    /// A debugger is attached to the process.
    case debugger
    /// The operating system's protection is removed (jailbreak). Only iOS, tvOS, watchOS and visionOS devices are checked.
    case compromisedDevice = "compromised-device"
    /// Libraries that change other code were loaded into the process.
    case hooking
    /// A server reported that it does not accept this app version.
    case outdatedApp = "outdated-app"
    /// A server reported that it does not accept this version of the operating system.
    case outdatedSystem = "outdated-system"
}

/// The checks that run before each resource call.
public struct IntegrityOptions: Sendable, Equatable {
    /// The enabled checks.
    public var checks: Set<IntegrityCheck>

    /// The time after which a call is sent again although a server reported an outdated version, because the server may accept it
    /// by then. The default is 300 seconds. With zero or less, reports are not stored, and every call is sent.
    public var reportLifetime: Duration

    /// Creates options, by default with all checks.
    public init(checks: Set<IntegrityCheck> = Set(IntegrityCheck.allCases), reportLifetime: Duration = .seconds(300)) {
        self.checks = checks
        self.reportLifetime = reportLifetime
    }
}

/// The integrity of the process and the device that resource calls depend on.
///
/// Copies share the versions that servers have reported as outdated.
///
/// ```swift
/// let integrity = DeviceIntegrity(IntegrityOptions(checks: [.debugger, .hooking]))
/// try integrity.check()
/// ```
///
/// Someone who controls the device can defeat any check of this kind. The checks make attacks more expensive; they do not replace
/// authorization at the server.
public struct DeviceIntegrity: Sendable {
    /// The enabled checks and their settings.
    public let options: IntegrityOptions
    private let probes: [any IntegrityProbe]
    private let versions: OutdatedVersions

    /// Creates the checks of this process and device.
    public init(_ options: IntegrityOptions = IntegrityOptions()) {
        let files = SystemIntegrityFiles()
        self.init(
            options,
            probes: [
                DebuggerProbe(files: files), CompromisedDeviceProbe(.current, files: files), HookingProbe(files: files),
            ]
        )
    }

    package init(_ options: IntegrityOptions, probes: [any IntegrityProbe], time: TimeSource = .system) {
        self.options = options
        self.probes = probes.filter { options.checks.contains($0.check) }
        versions = OutdatedVersions(checks: options.checks, lifetime: options.reportLifetime, time: time)
    }

    /// Runs the enabled checks, in the order of ``IntegrityCheck``.
    ///
    /// They read a few small files of the system on the thread of the caller, which takes less time than another thread would.
    ///
    /// - Throws: The first finding. The caller must not send anything.
    public func check() throws(IntegrityError) {
        for probe in probes { try probe.run() }
        try versions.check()
    }

    /// Records and returns the error in a response that refuses a request because of an outdated version; `nil` for any other response.
    ///
    /// If the check is enabled, further calls fail with the same error for ``IntegrityOptions/reportLifetime``, and are not sent.
    ///
    /// - Parameter response: The response of a resource gateway or an identity server; see `Docs/resource-server.md`.
    @discardableResult
    public func recordReport(in response: HttpResponse) -> IntegrityError? {
        recordReport(status: response.status.code, body: response.body)
    }

    /// Records and returns the error in a response with the given status and body, for example from an `OAuthError`; see
    /// ``recordReport(in:)``.
    @discardableResult
    package func recordReport(status: Int?, body: Data?) -> IntegrityError? {
        versions.recordReport(status: status, body: body)
    }

    /// Runs each enabled check, and returns the results in the order of ``IntegrityCheck``.
    public func results() -> [(check: IntegrityCheck, finding: IntegrityError?)] {
        let findings = probes.map { probe -> (check: IntegrityCheck, finding: IntegrityError?) in
            do throws(IntegrityError) {
                try probe.run()
                return (probe.check, nil)
            } catch {
                return (probe.check, error)
            }
        }
        return findings + versions.results()
    }
}

/// A check of the process or the device.
package protocol IntegrityProbe: Sendable {
    /// The check that enables it.
    var check: IntegrityCheck { get }

    /// Runs the check, which must not block for longer than reading a few small files takes.
    ///
    /// - Throws: The finding, or ``IntegrityError/undetermined(_:reason:)``.
    func run() throws(IntegrityError)
}
