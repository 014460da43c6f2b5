import HTTPTypes
import Hummingbird
import SallyportJOSE

/// An error response of the endpoints for trees, sessions and push, in the format of PingAM. It contains no secret.
struct JourneyRefusal: Error, Equatable {
    let status: HTTPResponse.Status
    let message: String
    var detail: [String: JsonValue] = [:]

    static func badRequest(_ message: String) -> JourneyRefusal {
        JourneyRefusal(status: .badRequest, message: message)
    }

    static func unauthorized(_ message: String) -> JourneyRefusal {
        JourneyRefusal(status: .unauthorized, message: message)
    }

    /// Returns the refusal for a tree that has ended at its failure.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - url: The URL to show to the user.
    ///   - problem: The problem that a node has found, if it may be shown.
    static func failed(_ message: String = "Login failure", url: String = "", problem: String? = nil) -> JourneyRefusal
    {
        var detail: [String: JsonValue] = ["failureUrl": .string(url)]
        detail["problem"] = problem.map { .string($0) }
        return JourneyRefusal(status: .unauthorized, message: message, detail: detail)
    }

    /// The step has expired, was answered before, or was never sent.
    static let timedOut = JourneyRefusal(
        status: .unauthorized,
        message: "Session has timed out",
        detail: ["errorCode": "110"]
    )

    /// The account is locked after too many failures.
    static let locked = JourneyRefusal(
        status: .unauthorized,
        message: "User Locked Out.",
        detail: ["errorCode": "112", "failureUrl": ""]
    )

    /// The link of a suspended tree has expired, was used before, or was never sent.
    static let suspensionExpired = JourneyRefusal(
        status: .unauthorized,
        message: "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: "
            + "Token not found. It may have expired."
    )

    /// The request has no session, or the session has ended.
    static let noSession = JourneyRefusal(
        status: .unauthorized,
        message: "Access Denied: the request needs a valid session."
    )
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension JourneyRefusal: HTTPResponseError {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        let members: [String: JsonValue] = [
            "code": .integer(Int64(status.code)),
            "reason": .string(status.reasonPhrase),
            "message": .string(message),
            "detail": .object(detail),
        ]
        return try Response.json(members, status: status)
    }
}
