import NetworkServiceCompatibility

// The Swift blocks of Docs/Guides.docc/Migrating-from-Network-Service.md that use Network Service.

private enum Originals {
    class User: BaseModel {
        var name: String? = ""

        override init() { super.init() }
        required init?(map: Map) { super.init(map: map) }

        override func mapping(map: Map) {
            name <- map["name"]
        }
    }

    struct GetUser: NetworkServiceDelegate {
        static var path = "/user"
        static var method = NetworkServiceHTTPMethod.get
        typealias V = User
    }

    static func configure() {
        NetworkServiceConfiguration.baseUrl = "https://api.example.com/v1"
        NetworkServiceConfiguration.timeoutValue = 20
    }

    static func call() {
        NetworkService<GetUser>().call(requestParams: nil) { response, error in
            if let error { return print(error) }
            print(response?.data?.name ?? "")
        }
    }

    static func save(model: OAuthTokenModel) {
        OAuthTokenService.saveOAuthTokens(authenticationModel: model)
    }
}
