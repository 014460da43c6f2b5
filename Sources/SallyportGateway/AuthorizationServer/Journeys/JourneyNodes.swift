/// The kinds of nodes, by the `type` in the description of a tree.
enum JourneyNodes {
    /// The names in `next` that end a tree.
    static let success = "success"
    static let failure = "failure"
    static let ends: Set = [success, failure]
    /// The outcome of nodes that have only one.
    static let next = "next"

    private typealias Create = @Sendable (inout NodeMembers) throws(GatewayError) -> any JourneyNode

    private static let types: [String: Create] = [
        "username": { members throws(GatewayError) in try UsernameNode(&members) },
        "password": { members throws(GatewayError) in try PasswordNode(&members) },
        "check-password": { _ throws(GatewayError) in CheckPasswordNode() },
        "choice": { members throws(GatewayError) in try ChoiceNode(&members) },
        "message": { members throws(GatewayError) in try MessageNode(&members) },
        "polling": { members throws(GatewayError) in try PollingNode(&members) },
        "attributes": { members throws(GatewayError) in try AttributesNode(&members) },
        "create-username": { members throws(GatewayError) in try CreateUsernameNode(&members) },
        "create-password": { members throws(GatewayError) in try CreatePasswordNode(&members) },
        "create-user": { _ throws(GatewayError) in CreateUserNode() },
        "terms": { members throws(GatewayError) in try TermsNode(&members) },
        "questions": { members throws(GatewayError) in try QuestionsNode(&members) },
        "device-profile": { members throws(GatewayError) in try DeviceProfileNode(&members) },
        "suspend": { members throws(GatewayError) in try SuspendNode(&members) },
        "register-passkey": { members throws(GatewayError) in try RegisterPasskeyNode(&members) },
        "passkey": { members throws(GatewayError) in try PasskeyNode(&members) },
        "register-otp": { members throws(GatewayError) in try RegisterOneTimePasswordNode(&members) },
        "otp": { members throws(GatewayError) in try OneTimePasswordNode(&members) },
        "register-push": { members throws(GatewayError) in try RegisterPushNode(&members) },
        "push": { members throws(GatewayError) in try PushNode(&members) },
        "callbacks": { members throws(GatewayError) in try CallbacksNode(&members) },
        "query": { members throws(GatewayError) in try QueryNode(&members) },
        "page": { members throws(GatewayError) in try PageNode(&members) },
        "failure": { members throws(GatewayError) in try FailureNode(&members) },
    ]

    /// The types, sorted.
    static var typeNames: [String] { types.keys.sorted() }

    /// Creates a node from its description.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` if the type is unknown, or a member of the node is wrong.
    static func node(_ members: inout NodeMembers) throws(GatewayError) -> any JourneyNode {
        let type = try members.text("type")
        guard let create = types[type] else {
            throw .invalidIdentity(
                "\(members.place): the type \"\(type)\" is unknown. Known types: \(typeNames.joined(separator: ", "))."
            )
        }
        return try create(&members)
    }
}
