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

// The declarations of models in seed 002, unchanged, as an app's own models.

enum SeedModels {
/** Base structure for the status response. **/
public struct ServiceResponseStatus : Mappable {

var message : String?
var code : String?
var responseTimeStamp : String?

public init() {
}

public init?(map: Map) {
}

mutating public func mapping(map: Map) {
self.message <- map["message"]
self.code <- map["code"]
self.responseTimeStamp <- map["responseTimeStamp"]
}
}

open class BaseModel : Mappable {

public init() {
/*Default..*/
}

required public init?(map: Map) {
}

public func mapping(map: Map) {
}

}

public struct BaseResponse<T:BaseModel> : NetworkServiceBaseResponse {

public typealias U = ServiceResponseStatus
public typealias V = T

public var status : U?
public var data : T?

public init(){
}

public init?(map: Map) {
}

public mutating func mapping(map: Map) {
status <- map["status"]
data <- map["body"]
}
}

/** Base model to be received from service API for the authentication tokens.*/
class OAuthTokenModel : BaseModel {

var tokenType : String?
var expiresIn : Double?
var refreshToken : String?
var accessToken : String?

override init() {
super.init()
}

required init?(map: Map) {
super.init(map: map)
}

override func mapping(map: Map) {
tokenType <- map["token_type"]
expiresIn <- map["expires_in"]
refreshToken <- map["refresh_token"]
accessToken <- map["access_token"]
}
}
}
