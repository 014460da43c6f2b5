import Foundation
import SallyportJOSE

/// A request to the endpoint of trees.
struct JourneyRequest: Sendable {
    /// The part of a sign-in that is requested.
    enum Action: Sendable {
        /// Begin a tree.
        case start(tree: String)
        /// Begin the tree that an advice requires (`composite_advice`).
        case startAdvice(SessionAdvice)
        /// Continue a suspended tree (`suspendedId`).
        case resume(String)
        /// Continue a tree with the answers of a step, which are in the body.
        case answer(authID: String, body: [String: JsonValue])
    }

    let action: Action
    /// The parameters of the query.
    let query: [String: String]
    let realm: String
    /// The session that the user already has.
    let session: PresentedSession
    /// A Boolean value that indicates whether the user must authenticate although there is a session (`ForceAuth`).
    let forcesAuthentication: Bool
    /// A Boolean value that indicates whether a success does not begin a session (`noSession`).
    let needsNoSession: Bool

    /// Creates a request from the query and the body.
    ///
    /// - Throws: Status 400 with the first mistake.
    init(
        _ query: FormParameters,
        body: Data,
        realm: String,
        session: PresentedSession
    ) throws(JourneyRefusal) {
        self.query = query.values(except: [])
        self.realm = realm
        self.session = session
        forcesAuthentication = try query.flag("ForceAuth")
        needsNoSession = try query.flag("noSession")
        var members: [String: JsonValue] = [:]
        if !body.isEmpty {
            guard let object = [String: JsonValue](json: body) else {
                throw .badRequest("The body is not a JSON object.")
            }
            members = object
        }
        if let authID = members["authId"] {
            guard let authID = authID.string else { throw .badRequest("The authId must be a string.") }
            action = .answer(authID: authID, body: members)
        } else if let id = query["suspendedId"] {
            action = .resume(id)
        } else {
            action = try Self.start(query)
        }
    }

    private static func start(_ query: FormParameters) throws(JourneyRefusal) -> Action {
        guard let value = query["authIndexValue"] else {
            throw .badRequest("The query needs authIndexType=service and authIndexValue, the name of a tree.")
        }
        switch query["authIndexType"] {
        case "service": return .start(tree: value)
        case "composite_advice":
            guard let advice = SessionAdvice(xml: value) else {
                throw .badRequest("The authIndexValue is not an advice that this server has sent.")
            }
            return .startAdvice(advice)
        default: throw .badRequest("The authIndexType must be service or composite_advice.")
        }
    }
}

extension FormParameters {
    fileprivate func flag(_ name: String) throws(JourneyRefusal) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw .badRequest("\(name) must be true or false.")
        }
    }
}
