import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Posts a form to an endpoint of the server, as the client that this is.
    ///
    /// - Parameters:
    ///   - form: The fields, without those that show who the client is.
    ///   - endpoint: Where to.
    ///   - type: What for.
    ///   - proofKey: The key whose possession is proved, if any.
    func post(
        _ form: [(String, String)],
        to endpoint: ServerEndpoint,
        _ type: ActionType,
        proofKey: SigningKey? = nil
    ) async throws -> ServerAnswer {
        let url = try await server.url(of: endpoint)
        return try await proving(proofKey, to: url) { maker in
            var request = self.server.request(url, type)
            var fields = form
            try await self.refusing("the client's key for") {
                try await self.configuration.authentication.add(
                    clientID: self.clientID,
                    issuer: self.issuer,
                    at: self.clock.now(),
                    to: &fields,
                    of: &request
                )
            }
            request.form(parameters: fields)
            self.server.neverRepeat(&request)
            try await self.addProof(of: maker, to: &request, url: url)
            let ownSecret = [self.configuration.authentication.secret].compactMap(\.self)
            let secrets = fields.filter { Self.isConfidential($0.0) }.map(\.1) + ownSecret
            return try ServerAnswer(try await self.server.httpClient.request(request: request), secrets: secrets)
        }
    }

    private static func isConfidential(_ name: String) -> Bool {
        ["code", "password"].contains(name)
            || ["token", "secret", "assertion", "verifier", "device_code"].contains { name.contains($0) }
                && !name.hasSuffix("_type") && name != "token_type_hint"
    }
}
