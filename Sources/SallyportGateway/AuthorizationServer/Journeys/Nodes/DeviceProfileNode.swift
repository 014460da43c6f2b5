import Foundation
import SallyportJOSE

/// Asks the client for a description of the device. It is checked, but not stored.
struct DeviceProfileNode: AskingNode {
    private static let maximumLength = 32 * 1024

    let outcomes = ["collected", "invalid"]
    private let needsMetadata: Bool
    private let needsLocation: Bool
    private let message: String

    init(_ members: inout NodeMembers) throws(GatewayError) {
        needsMetadata = try members.bool("metadata", default: true)
        needsLocation = try members.bool("location", default: false)
        message = try members.text("message", default: "Collecting the profile of the device")
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [
            JourneyCallback(
                "DeviceProfileCallback",
                [
                    ("metadata", .bool(needsMetadata)), ("location", .bool(needsLocation)),
                    ("message", .string(message)),
                ],
                [.text(maximum: Self.maximumLength, isRequired: true)]
            )
        ]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        let text = Data(answers[0].text().utf8)
        guard let profile = [String: JsonValue](json: text),
            profile["identifier"]?.string?.isEmpty == false, !needsMetadata || profile["metadata"]?.object != nil
        else {
            state.problem = "The device profile is not JSON with an identifier\(needsMetadata ? " and metadata" : "")."
            return "invalid"
        }
        return "collected"
    }
}
