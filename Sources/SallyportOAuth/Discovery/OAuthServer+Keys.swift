import Foundation
import Sallyport
import SallyportJOSE

extension OAuthServer {
    /// The server's keys.
    ///
    /// - Parameter keyID: A key that is looked for. If it is not among the known ones, they are read again, as servers
    ///   change their keys; but not more often than every ten seconds.
    /// - Throws: ``OAuthError``, ``NetworkError``. That the key is not among them is no error here.
    public func keys(including keyID: String? = nil) async throws -> JsonWebKeySet {
        let known = try await keyCache.value(at: clock.now()) { try await self.fetchKeys() }
        guard let keyID, !known.keys.contains(where: { $0.keyID == keyID }) else { return known }
        return try await newKeys()
    }

    /// The server's keys read again, as those known have shown to be out of date; but not more often than every ten seconds.
    func newKeys() async throws -> JsonWebKeySet {
        try await keyCache.newValue(at: clock.now()) { try await self.fetchKeys() }
    }

    private func fetchKeys() async throws -> JsonWebKeySet {
        let response = try await httpClient.request(request: request(try await url(of: .keys), .fetchKeys))
        let answer = try ServerAnswer(response)
        guard answer.status.isSuccess() else { throw answer.refusal(of: "the request for its keys") }
        do {
            return try JsonWebKeySet(parsing: answer.body)
        } catch {
            throw answer.invalid("the server's keys cannot be read: \(error)")
        }
    }
}
