import SallyportJOSE

/// Sends a link by email, and continues when the user opens it.
struct SuspendNode: JourneyNode {
    private let message: String
    private let subject: String

    init(_ members: inout NodeMembers) throws(GatewayError) {
        message = try members.text(
            "message",
            default: "An email has been sent to your address. Open the link in it to continue."
        )
        subject = try members.text("subject", default: "Continue to sign in")
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        let user = state.username.flatMap(services.accounts.user)
        // An address that the user has entered is used only before there is an account: it proves nothing about the owner of one.
        let address = if let user { user.claims["email"]?.string } else { state.attributes["mail"]?.string }
        let page = JourneyPage([
            JourneyCallback(
                "SuspendedTextOutputCallback",
                [("message", .string(message)), ("messageType", "0")]
            )
        ])
        // The page does not reveal whether there is such a user.
        let recipient = address ?? ""
        return .suspend(page, recipient.isEmpty ? nil : MagicLinkMessage(recipient: recipient, subject: subject))
    }
}
