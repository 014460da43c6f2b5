// swift-format-ignore-file
import NetworkServiceCompatibility

// The complete example of seed 002, unchanged.

class TestModel : BaseModel {

/*Default values are to be received as from API..*/
var id : Int? = 1
var userId : Int? = 1
var title : String? = "Title"
var body : String? = "Body"

override init() {
super.init()
}

required init?(map: Map) {
super.init(map: map)
}

override func mapping(map: Map) {
id <- map["id"]
userId <- map["userId"]
title <- map["title"]
body <- map["body"]
}    

}

/** Request configuration.. */
struct RequestConfiguration : NetworkServiceDelegate {

static var path = "/test"
static var method = NetworkServiceHTTPMethod.get
typealias V = TestModel /*Response Model Type..*/

}

/** API Call configuration.. */
class TestService {

/*Here, model for request and response is same. This is only for the purpose of test demo.*/
var requestParams : [String:Any]? = TestModel().toJSON()

func call() {
NetworkService<RequestConfiguration>()
.call(requestParams: requestParams) { response, error in

guard let responseData = response else {

/*Get error message..*/
print(error as Any)
return

}

if let data = responseData.data {

/*Response data is available.*/
print(String(describing: data.body))

} else {

/*Response status is available, in case response data is not available*/
print(responseData.status?.message ?? "No status Message.")
}
}
}

}
