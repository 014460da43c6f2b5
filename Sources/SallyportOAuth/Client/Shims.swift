import Foundation
import Sallyport
import SallyportJOSE

enum Proof {
    static func make(
        key: SigningKey,
        method: String,
        url: String,
        nonce: String?,
        accessToken: String?,
        at: Date
    ) async throws -> String { fatalError() }
}
