/// The endpoints of an authorization server, by the names that its metadata has for them.
enum ServerEndpoint: String, Sendable {
    case authorization = "authorization_endpoint"
    case token = "token_endpoint"
    case keys = "jwks_uri"
    case userInfo = "userinfo_endpoint"
    case revocation = "revocation_endpoint"
    case introspection = "introspection_endpoint"
    case deviceAuthorization = "device_authorization_endpoint"
    case pushedAuthorization = "pushed_authorization_request_endpoint"
    case registration = "registration_endpoint"
    case endSession = "end_session_endpoint"
}
