import Foundation
import Sallyport
import SallyportOAuth
import SallyportResource

extension ResourceError: ReportableError {
    var commandFailure: CommandFailure {
        switch reason {
        case .status: return CommandFailure(.errorResponse, description)
        case .userNotAuthenticated, .userDeregistered:
            if let error = underlying as? DeviceIdentityError, case .signIn = error { return error.commandFailure }
            return CommandFailure(.loginDenied, "\(failure.reason): sallyport device register --sign-in")
        case .deviceDeregistered, .deviceNotRegistered, .deviceNotAuthenticated:
            return CommandFailure(.loginDenied, "\(failure.reason): sallyport device register")
        case .deviceNotValid, .userNotImplicitlyAuthenticated, .badDate: return CommandFailure(.loginDenied, description)
        case .invalidConfiguration, .notConfigured, .invalidRequest, .invalidHeaders, .invalidMethod:
            if let failure = underlying as? CommandFailure { return failure }
            return CommandFailure(.usage, description)
        default:
            if let error = underlying as? NetworkError { return CommandFailure(ExitStatus(error), description) }
            if let error = underlying as? DeviceIdentityError { return error.commandFailure }
            return CommandFailure(.other, description)
        }
    }
}

extension DeviceIdentityError: ReportableError {
    var commandFailure: CommandFailure {
        switch self {
        case .network(let error): return error.commandFailure
        case .store(let error): return error.commandFailure
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
