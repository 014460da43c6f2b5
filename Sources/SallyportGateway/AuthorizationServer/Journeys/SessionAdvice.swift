import Foundation
import SallyportJOSE

/// A condition for a call that a session does not meet, in the formats of PingAM and PingGateway.
enum SessionAdvice: Sendable, Equatable {
    /// The user must authorize a transaction by completing its tree.
    case transaction(String)
    /// The user must sign in by a tree of a realm.
    case tree(String, realm: String)

    private static let transactionName = "TransactionConditionAdvice"
    private static let treeName = "AuthenticateToServiceConditionAdvice"

    /// Parses the XML in `authIndexValue`; `nil` for anything but one advice in the format of ``xml``.
    init?(xml: String) {
        let pattern =
            /\s*<Advices>\s*<AttributeValuePair>\s*<Attribute name="([A-Za-z]+)"\s*\/>\s*<Value>([^<>&]{1,256})<\/Value>\s*<\/AttributeValuePair>\s*<\/Advices>\s*/
        guard xml.utf8.count <= 1024, let match = xml.wholeMatch(of: pattern) else { return nil }
        switch match.1 {
        case Self.transactionName: self = .transaction(String(match.2))
        case Self.treeName:
            // The tree is preceded by its realm, as in `/alpha:Login`.
            let parts = match.2.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return nil }
            self = .tree(parts[1], realm: parts[0])
        default: return nil
        }
    }

    /// The advice in XML.
    var xml: String {
        "<Advices><AttributeValuePair><Attribute name=\"\(name)\"/><Value>\(value)</Value></AttributeValuePair></Advices>"
    }

    /// The challenge for a `WWW-Authenticate` field.
    ///
    /// - Parameters:
    ///   - realm: The realm.
    ///   - issuer: The URL of the server with the tree.
    func challenge(realm: String, issuer: String) -> String {
        let advices = Data("{\"\(name)\":[\"\(value)\"]}".utf8).base64EncodedString()
        return "SSOADVICE realm=\"\(realm)\",advices=\"\(advices)\",am_uri=\"\(issuer)\""
    }

    private var name: String {
        switch self {
        case .transaction: Self.transactionName
        case .tree: Self.treeName
        }
    }

    private var value: String {
        switch self {
        case .transaction(let id): id
        case .tree(let name, let realm): "\(realm):\(name)"
        }
    }
}
