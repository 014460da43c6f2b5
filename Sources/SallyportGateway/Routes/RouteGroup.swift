import Hummingbird

/// A group of related routes.
@available(macOS 14, iOS 17, tvOS 17, *)
protocol RouteGroup: Sendable {
    /// The descriptions of the routes for the index, by route.
    var routeDescriptions: [String: String] { get }

    func addRoutes(to router: Router<GatewayContext>)
}

/// The route groups that need no authorization server.
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
        SampleResponsesRoutes(),
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
