import Sallyport
import SallyportOAuth
import SallyportResource
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct ResourceFailuresTests {
    @Test func `A wrong date is reported with its own text, and not with that of the server`() {
        let refusal = OAuthError(error: "invalid_client", failure: "the server refused the device")
        let error = ResourceError(
            .badDate,
            NetworkFailure(
                "the clock is wrong",
                advice: "set the date of the device",
                underlying: DeviceIdentityError.notValid(refusal)
            )
        )
        let failure = error.commandFailure
        #expect(failure.status == .loginDenied)
        #expect(failure.message.contains("the clock is wrong"))
        #expect(failure.message.contains("set the date of the device"))
    }

    @Test func `A failed sign-in is reported with its own advice`() {
        let signIn = DeviceIdentityError.signIn(NetworkFailure("there is no id_token", advice: "request openid"))
        let failure = Self.error(of: signIn).commandFailure
        #expect(failure.status == .loginDenied)
        #expect(failure.message.contains("request openid"))
        #expect(!failure.message.contains("sallyport device register"))
    }

    @Test func `A sign-in that fails with a failure of the command ends with that failure`() {
        let cause = CommandFailure(.writeError, "the browser cannot be opened")
        let signIn = DeviceIdentityError.signIn(NetworkFailure("the sign-in failed", underlying: cause))
        let failure = Self.error(of: signIn).commandFailure
        #expect(failure.status == .writeError)
        #expect(failure.message == "the browser cannot be opened")
    }

    private static func error(of signIn: DeviceIdentityError) -> ResourceError {
        var failure = signIn.failure
        failure.underlying = signIn
        return ResourceError(.userNotAuthenticated, failure, of: .authenticated)
    }
}
