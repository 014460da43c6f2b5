import Hummingbird

/// A feature of the gateway: a few routes that belong together.
@available(macOS 14, iOS 17, tvOS 17, *)
protocol RouteGroup: Sendable {
    /// The descriptions of its routes for the index: a sentence for each route.
    var guide: [String: String] { get }

    func addRoutes(to router: Router<GatewayContext>)
}

/// The features of the gateway. To add one, write its file and list it here.
@available(macOS 14, iOS 17, tvOS 17, *)
enum RouteGroups {
    static let all: [any RouteGroup] = [
        HealthRoutes(),
        EchoRoutes(),
        StatusRoutes(),
        DelayRoutes(),
        BytesRoutes(),
        StreamRoutes(),
        CookiesRoutes(),
        RedirectRoutes(),
        UploadRoutes(),
        MultipartRoutes(),
        FilesRoutes(),
        EventsRoutes(),
        ResumableUploadRoutes(),
        BasicRoutes(),
        DigestRoutes(),
        ItemsRoutes(),
        AnswersRoutes(),
    ]
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension AuthorizationServer {
    /// The server's endpoints, pages and resources.
    nonisolated var routeGroups: [any RouteGroup] {
        let groups: [any RouteGroup] = [
            DiscoveryRoutes(server: self),
            AuthorizeRoutes(server: self),
            TokenRoutes(server: self),
            RegistrationRoutes(server: self),
            DeviceAuthorizationRoutes(server: self),
            ResourceRoutes(server: self),
            StatisticsRoutes(server: self),
        ]
        return configuration.allowsDevelopmentCalls ? groups + [DevelopmentRoutes(server: self)] : groups
    }
}
