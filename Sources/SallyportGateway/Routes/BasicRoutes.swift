import Foundation
import Hummingbird
import SallyportJOSE

/// A resource protected by Basic authentication (RFC 7617).
@available(macOS 14, iOS 17, tvOS 17, *)
struct BasicRoutes: RouteGroup {
    /// The challenge of a response with status 401.
    static let challenge = "Basic realm=\"sallyport\", charset=\"UTF-8\""

    let routeDescriptions = ["/basic/{user}/{password}": "Any method: 200 with these Basic credentials, else 401."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/basic/{user}/{password}") { request, context in
            let user = try context.parameters.require("user").percentDecoded
            let password = try context.parameters.require("password").percentDecoded
            guard let credentials = request.basicCredentials,
                ConstantTime.areEqual(credentials, "\(user):\(password)".utf8)
            else {
                throw HTTPError(
                    .unauthorized,
                    headers: [.wwwAuthenticate: Self.challenge],
                    message: "The user name and password in this path are required as Basic credentials."
                )
            }
            return Authenticated(authenticated: true, user: user)
        }
    }
}

/// The response to an authenticated request.
struct Authenticated: ResponseEncodable {
    let authenticated: Bool
    let user: String
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Request {
    /// The `user:password` of the `Authorization` header.
    fileprivate var basicCredentials: Data? {
        guard let parts = headers[.authorization]?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "basic"
        else { return nil }
        return Data(base64Encoded: String(parts[1]))
    }
}
