import Foundation
import Hummingbird
import HummingbirdTesting

@testable import SallyportGateway

/// Runs a test body against the gateway's router, without a network.
func withRouter(_ test: @Sendable (any TestClientProtocol) async throws -> Void) async throws {
    let logger = GatewayConfiguration().logger
    try await Application(router: Router.gateway(), logger: logger).test(.router, test)
}

extension TestResponse {
    /// The body as text.
    var text: String { String(buffer: body) }

    /// The body as a JSON value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }
}

/// The body of an error response.
struct ErrorAnswer: Decodable, Equatable {
    let status: Int
    let error: String
    let message: String
}
