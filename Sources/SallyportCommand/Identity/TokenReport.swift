import Sallyport
import SallyportJOSE
import SallyportOAuth

/// What a token says, and whether that can be believed.
struct TokenReport {
    private let token: JsonWebSignature
    private let server: OAuthServer

    /// - Throws: A failure for a token that says nothing to anybody but its server.
    init(_ text: String, _ server: OAuthServer) throws(CommandFailure) {
        do {
            token = try JsonWebSignature(parsing: text)
        } catch {
            throw CommandFailure(
                .badEncoding,
                "the token is not a JWT (\(error)): only its server can read it; ask with sallyport introspect"
            )
        }
        self.server = server
    }

    func text() async throws -> String {
        let claims = try token.claims()
        let whole = JsonValue.object(["header": .object(token.header), "claims": .object(claims)])
        let lines = [try TokenText.json(whole), TokenText.times(in: claims).joined(separator: ", "), await signature()]
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func signature() async -> String {
        guard let algorithm = token.algorithm else { return "signature: none that is known" }
        do {
            let keys = try await server.keys(including: token.keyID).keys
            for key in keys where token.keyID == nil || key.keyID == token.keyID {
                if (try? await token.verify(with: key, allowing: [algorithm])) != nil {
                    let name = key.keyID.map { VisibleText.line($0, longest: 200) }
                    return "signature: good, by the server's key \(name ?? "without a name")"
                }
            }
            return "signature: NOT that of one of the server's keys"
        } catch {
            return "signature: not checked (\(VisibleText.line("\(error)")))"
        }
    }
}
