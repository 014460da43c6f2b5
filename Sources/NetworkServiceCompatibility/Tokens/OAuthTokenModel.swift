import Foundation
import SallyportOAuth

/// The tokens in the response of a server, which ``OAuthTokenService/saveOAuthTokens(authenticationModel:)`` stores.
///
/// ```swift
/// struct Login: NetworkServiceDelegate {
///     static var path = "/login"
///     static var method = NetworkServiceHTTPMethod.post
///     typealias V = OAuthTokenModel
/// }
///
/// NetworkService<Login>().call(requestParams: ["user": user, "password": password]) { response, error in
///     if let tokens = response?.data { OAuthTokenService.saveOAuthTokens(authenticationModel: tokens) }
/// }
/// ```
open class OAuthTokenModel: BaseModel {
    /// The type of the access token.
    public var tokenType: String?

    /// The lifetime of the access token in seconds.
    public var expiresIn: Double?

    /// The refresh token.
    public var refreshToken: String?

    /// The access token.
    public var accessToken: String?

    /// Creates an empty model.
    public override init() {
        super.init()
    }

    /// Creates an empty model, which ``mapping(map:)`` then fills.
    public required init?(map: Map) {
        super.init(map: map)
    }

    /// Connects the members with the keys `token_type`, `expires_in`, `refresh_token` and `access_token`.
    open override func mapping(map: Map) {
        tokenType <- map["token_type"]
        expiresIn <- map["expires_in"]
        refreshToken <- map["refresh_token"]
        accessToken <- map["access_token"]
    }
}

extension OAuthTokens {
    /// Creates tokens of the type `Bearer`, as which the original library sends all access tokens. Returns `nil` if there is no
    /// access token.
    init?(_ model: OAuthTokenModel) {
        guard let accessToken = model.accessToken, !accessToken.isEmpty else { return nil }
        self.init(
            accessToken: accessToken,
            expiresAt: model.expiresIn.map { Date(timeIntervalSinceNow: $0) },
            refreshToken: model.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
        )
    }

    /// `true` if the access token is valid or can be refreshed.
    var isAvailable: Bool { refreshToken != nil || expiresAt.map { $0 > Date() } ?? true }
}
