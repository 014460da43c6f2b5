import Hummingbird

/// One subject of the gateway: a few routes that belong together.
@available(macOS 14, iOS 17, tvOS 17, *)
protocol Room: Sendable {
    /// What its routes do, for the index: the route, then a sentence.
    var guide: [String: String] { get }

    func addRoutes(to router: Router<GatewayContext>)
}

/// Every room of the gateway. To add one, write its file and name it here.
@available(macOS 14, iOS 17, tvOS 17, *)
enum Rooms {
    static let all: [any Room] = [
        HealthRoom(),
        EchoRoom(),
        StatusRoom(),
        DelayRoom(),
        BytesRoom(),
        StreamRoom(),
        CookiesRoom(),
        RedirectRoom(),
        UploadRoom(),
        MultipartRoom(),
        FilesRoom(),
        EventsRoom(),
        ResumableUploadRoom(),
        BasicRoom(),
        DigestRoom(),
        ItemsRoom(),
        AnswersRoom(),
    ]
}
