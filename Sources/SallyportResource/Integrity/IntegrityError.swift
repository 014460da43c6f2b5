/// A finding of an integrity check. The refused call was not sent, unless its response was the first to report an outdated version.
public enum IntegrityError: Error, Sendable, Equatable {
    /// A debugger is attached. The value describes it, such as `gdb (process 4711)`.
    case debuggerAttached(String)
    /// The protection of the operating system is removed. The value states the sign of it, such as a file.
    case deviceCompromised(String)
    /// Libraries or variables that change the process were found. The value states them.
    case hooked(String)
    /// The server requires a newer app version: the one in the value, if the server stated it.
    case outdatedApp(minimum: String?)
    /// The server requires a newer version of the operating system: the one in the value, if the server stated it.
    case outdatedSystem(minimum: String?)
    /// An enabled check could not be completed, for example because the system denies access to a file.
    case undetermined(IntegrityCheck, reason: String)

    /// The check that failed.
    public var check: IntegrityCheck {
        switch self {
        case .debuggerAttached: .debugger
        case .deviceCompromised: .compromisedDevice
        case .hooked: .hooking
        case .outdatedApp: .outdatedApp
        case .outdatedSystem: .outdatedSystem
        case .undetermined(let check, _): check
        }
    }
}

extension IntegrityError: CustomStringConvertible {
    /// The finding, and advice.
    public var description: String {
        switch self {
        case .debuggerAttached(let debugger):
            "a debugger is attached to this process: \(debugger); detach it, or disable the check in a development build"
        case .deviceCompromised(let sign):
            "the protection of this device's operating system is removed: \(sign); use another device"
        case .hooked(let sign):
            "code of this process may have been replaced: \(sign); start the app without it"
        case .outdatedApp(let minimum):
            "the server requires a newer version of this app\(Self.text(minimum)); install the update"
        case .outdatedSystem(let minimum):
            "the server requires a newer version of the operating system\(Self.text(minimum)); install the update"
        case .undetermined(let check, let reason):
            "the integrity check \(check.rawValue) could not be completed: \(reason)"
        }
    }

    private static func text(_ minimum: String?) -> String {
        minimum.map { ", at least \($0)" } ?? ""
    }
}
