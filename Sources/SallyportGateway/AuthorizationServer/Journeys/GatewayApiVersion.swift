import HTTPTypes
import Hummingbird

/// The version of PingAM's API that an endpoint has, in the request header `accept-api-version`.
enum GatewayApiVersion: Sendable {
    case trees, sessions, push

    /// The value that clients send.
    var text: String {
        switch self {
        case .trees: "resource=2.1, protocol=1.0"
        case .sessions: "resource=3.1"
        case .push: "resource=1.0, protocol=1.0"
        }
    }

    /// The supported versions of the resource.
    private var resources: Set<String> {
        switch self {
        case .trees: ["2.0", "2.1"]
        case .sessions: ["2.0", "2.1", "3.0", "3.1"]
        case .push: ["1.0"]
        }
    }

    /// Checks the header of a request.
    ///
    /// - Throws: Status 400 if it is missing, or states another version.
    @available(macOS 14, iOS 17, tvOS 17, *)
    func check(_ request: Request) throws(JourneyRefusal) {
        guard let value = request.headers[HTTPField.Name("accept-api-version")] else {
            throw .badRequest("The header accept-api-version is missing. Send \(text).")
        }
        var hasResource = false
        for part in value.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            switch (pair.first, pair.last) {
            case ("resource", let version?) where resources.contains(version): hasResource = true
            case ("protocol", "1.0"): continue
            default: throw .badRequest("The API version \(part.prefix(32)) is not supported. Send \(text).")
            }
        }
        guard hasResource else { throw .badRequest("The header accept-api-version has no resource. Send \(text).") }
    }
}
