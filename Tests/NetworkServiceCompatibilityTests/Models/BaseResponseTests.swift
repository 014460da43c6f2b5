import NetworkServiceCompatibility
import SallyportGateway
import TestSupport
import Testing

extension SharedConfigurationSuites {
    @Suite(.concurrencyLimited) @MainActor struct BaseResponseTests {
        class Item: BaseModel {
            var id: Int?
            var name: String?

            override func mapping(map: Map) {
                id <- map["id"]
                name <- map["name"]
            }
        }

        struct GetItem: NetworkServiceDelegate {
            static var path = "/items/7"
            static var method = NetworkServiceHTTPMethod.get
            typealias V = Item
        }

        struct AddItem: NetworkServiceDelegate {
            static var path = "/items"
            static var method = NetworkServiceHTTPMethod.post
            typealias V = Item
        }

        @Test func `A response has the status and the model of the gateway`() async throws {
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL + "/api") {
                    let (response, error) = await NetworkService<GetItem>().outcome()
                    #expect(error == nil)
                    #expect(response?.data?.id == 7)
                    #expect(response?.data?.name == "Item 7")
                    #expect(response?.status?.message == "OK")
                    #expect(response?.status?.responseTimeStamp?.hasSuffix("Z") == true)
                }
            }
        }

        @Test func `An unsuccessful response has the status and code of the server, and no data`() async throws {
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL + "/api") {
                    let parameters: [String: Any] = ["name": "", "price": 5]
                    let (response, error) = await NetworkService<AddItem>().outcome(parameters)
                    #expect(error == nil)
                    #expect(response?.data == nil)
                    #expect(response?.status?.message == "The name must not be empty.")
                    #expect(response?.status?.code == "invalid")
                }
            }
        }

        class Rejecting: BaseModel {
            override init() { super.init() }
            required init?(map: Map) { return nil }
        }

        struct GetBody: NetworkServiceDelegate {
            static var path = "/body"
            static var method = NetworkServiceHTTPMethod.get
            typealias V = Rejecting
        }

        struct GetStatusAndBody: NetworkServiceDelegate {
            static var path = "/echo"
            static var method = NetworkServiceHTTPMethod.get
            typealias V = Rejecting
        }

        @Test func `A body that the model rejects is an error, unless there is a status`() async throws {
            try await EnvelopeServer.run { _ in
                let (response, error) = await NetworkService<GetBody>().outcome()
                #expect(response == nil)
                #expect(error?.reason == "the response has no status, and its body is not a valid Rejecting")
                let other = await NetworkService<GetStatusAndBody>().outcome()
                #expect(other.error == nil)
                #expect(other.response?.status?.message == "OK")
                #expect(other.response?.data == nil)
            }
        }

        @Test func `An empty response has neither a status nor data`() {
            let response = BaseResponse<Item>()
            #expect(response.status == nil)
            #expect(response.data == nil)
            #expect(response.toJSON().isEmpty)
        }

        @Test func `A response is written with the keys from which it is read`() throws {
            var response = BaseResponse<Item>()
            response.status = ServiceResponseStatus()
            response.status?.message = "OK"
            response.status?.code = "0"
            response.status?.responseTimeStamp = "now"
            response.data = Item(JSON: ["id": 7])
            let json = response.toJSON()
            #expect(json["status"] as? [String: String] == ["message": "OK", "code": "0", "responseTimeStamp": "now"])
            #expect((json["body"] as? [String: Any])?["id"] as? Int == 7)
            #expect(try #require(BaseResponse<Item>(JSON: json)).data?.id == 7)
        }
    }
}
