import Foundation
import SallyportJOSE

extension GatewayApplication {
    /// The issuer of the development statements.
    private static let developmentIssuer = "https://releases.example.com"

    /// The private key that signs development statements. Everyone knows it, like the passwords of the development server.
    private static let developmentKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgylzZbJF3T+tMerYb
        akutt9QoPgnavtIdiW+gs0HSq6uhRANCAASfDCUsYtLNJ8z+RHpJ9vw3c6aLHybe
        SU8cmz+Q7dokMnEeGt3FYt3dVtpWTTOjJxzCPQjilqaxC0CnsKO1xtw+
        -----END PRIVATE KEY-----
        """

    /// Returns the app `com.example.app` of the development server.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` if the key cannot be used.
    public static func development() throws(GatewayError) -> GatewayApplication {
        GatewayApplication(
            identifier: "com.example.app",
            statementIssuer: developmentIssuer,
            statementKeys: JsonWebKeySet([try signingKey().publicJsonWebKey].compactMap(\.self)),
            userScopes: ["openid", "profile", "email", "offline_access", "api", "accounts", "greeting"],
            deviceScopes: ["assets", "api"],
            implicitScopes: ["greeting"]
        )
    }

    /// Returns a software statement for the app of the development server.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the app.
    ///   - version: The version of the app.
    ///   - platform: The platform, such as `ios` or `linux`.
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` if the statement cannot be signed.
    public static func developmentStatement(
        for identifier: String = "com.example.app",
        version: String,
        platform: String
    ) async throws(GatewayError) -> String {
        let claims: [String: JsonValue] = [
            "iss": .string(developmentIssuer), "software_id": .string(identifier), "software_version": .string(version),
            "app_platform": .string(platform),
        ]
        let key = try signingKey()
        do throws(JoseError) {
            return try JsonWebSignature.sign(claims, header: ["typ": "software-statement+jwt"], with: key)
        } catch {
            throw .invalidIdentity("A software statement cannot be signed: \(error)")
        }
    }

    private static func signingKey() throws(GatewayError) -> SigningKey {
        do throws(JoseError) {
            return try SigningKey(pem: developmentKey, algorithm: .es256)
        } catch {
            throw .invalidIdentity("The key for software statements cannot be used: \(error)")
        }
    }
}

extension [ResourcePolicy] {
    /// The policies of the development server.
    public static var development: [ResourcePolicy] {
        [
            ResourcePolicy(path: "/accounts", scope: "accounts"), ResourcePolicy(path: "/greeting", scope: "greeting"),
            ResourcePolicy(path: "/assets", scope: "assets"), ResourcePolicy(path: "/api", scope: "api"),
            ResourcePolicy(path: "/public", scope: nil),
        ]
    }
}
