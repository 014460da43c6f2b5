// swift-format-ignore-file
import NetworkServiceCompatibility

// The declaration of requests in seed 002, unchanged. The request of the complete example conforms to it as well. The other
// declarations of the document have no bodies and do not compile, see SeedDeclarationsTests.

enum SeedDeclarations {
public protocol NetworkServiceDelegate {

init()

static var path : String {get set}
static var method : NetworkServiceHTTPMethod {get set}
associatedtype V : BaseModel

}
}

extension RequestConfiguration: SeedDeclarations.NetworkServiceDelegate {}
