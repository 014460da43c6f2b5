import Foundation
import Sallyport
import SallyportOAuth
import SallyportResource
import SallyportStorage

extension ProfileName {
    /// Calls a closure, and replaces an error of a resource call by a failure. The failure's advice names the profile.
    func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as ResourceError {
            throw error.commandFailure(of: self)
        } catch let error as DeviceIdentityError {
            throw error.commandFailure(of: self)
        }
    }
}

extension ResourceError: ReportableError {
    var commandFailure: CommandFailure { commandFailure(of: .standard) }

    /// Returns the failure of a command with a profile.
    func commandFailure(of name: ProfileName) -> CommandFailure {
        let register = "sallyport device register\(name.option)"
        switch reason {
        case .status: return CommandFailure(.errorResponse, withExplanation.description)
        case .userNotAuthenticated, .userDeregistered:
            if let error = underlying as? DeviceIdentityError, case .signIn = error {
                return error.commandFailure(of: name)
            }
            return CommandFailure(.loginDenied, "\(failure.reason); sign in with \(register) --sign-in")
        case .deviceDeregistered, .deviceNotRegistered, .deviceNotAuthenticated:
            return CommandFailure(.loginDenied, "\(failure.reason): \(register)")
        case .deviceNotValid, .userNotImplicitlyAuthenticated, .badDate:
            return CommandFailure(.loginDenied, description)
        case .invalidConfiguration, .notConfigured, .invalidRequest, .invalidHeaders, .invalidMethod:
            if let failure = underlying as? CommandFailure { return failure }
            return CommandFailure(.usage, description)
        default:
            if case .pinMismatch? = underlying as? NetworkError {
                let advice = "; if the server has a new key, write its pin to the settings: \(register) --config FILE"
                return CommandFailure(.pinMismatch, description + advice)
            }
            if case .responseTooLarge(var failure)? = underlying as? NetworkError {
                failure.advice = "sallyport get streams responses of any size"
                return CommandFailure(.tooLarge, failure.description)
            }
            if let error = underlying as? NetworkError { return CommandFailure(ExitStatus(error), description) }
            if let error = underlying as? DeviceIdentityError { return error.commandFailure(of: name) }
            return CommandFailure(.other, description)
        }
    }
}

extension ResourceError {
    /// The error with the `error` and the `error_description` of the response in its reason, if the response has them.
    private var withExplanation: ResourceError {
        let body = response?.data.flatMap { try? JSONDecoder().decode([String: JsonValue].self, from: $0) } ?? [:]
        let details = [
            body["error"]?.string.map { SanitizedText.make(from: $0) },
            body["error_description"]?.string.map { "\"\(SanitizedText.make(from: $0))\"" },
        ]
        let text = details.compactMap(\.self).joined(separator: ", ")
        if text.isEmpty { return self }
        var failure = failure
        failure.reason += " (\(text))"
        return ResourceError(reason, failure, of: call, response: response)
    }
}

extension DeviceIdentityError: ReportableError {
    var commandFailure: CommandFailure { commandFailure(of: .standard) }

    /// Returns the failure of a command with a profile.
    fileprivate func commandFailure(of name: ProfileName) -> CommandFailure {
        switch self {
        case .network(let error): return error.commandFailure
        case .store(let error): return error.deviceFailure(of: name)
        case .signIn(let failure):
            if let error = failure.underlying as? any ReportableError { return error.commandFailure }
            return CommandFailure(.loginDenied, description)
        case .invalidConfiguration: return CommandFailure(.usage, description)
        case .key: return CommandFailure(.unreadableInput, description)
        case .outdatedApp, .outdatedSystem: return CommandFailure(.other, description)
        case .notRegistered, .notValid, .notAuthenticated, .deregistered, .userNotRegistered, .refused:
            return CommandFailure(.loginDenied, description)
        }
    }
}

extension RecordStoreError {
    /// Returns the failure of a file with the identity of this device, which a local reset removes.
    fileprivate func deviceFailure(of name: ProfileName) -> CommandFailure {
        let reset = "sallyport device reset --local\(name.option)"
        let advice =
            switch reason {
            case .key: "; if the key is lost: \(reset)"
            case .notEncrypted: "; before the device can be registered again: \(reset)"
            default: ""
            }
        return CommandFailure(commandFailure.status, commandFailure.message + advice)
    }
}
