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
    static var all: [any RouteGroup] { [HealthRoutes()] + test() }

    /// Returns the routes for testing clients, as new groups, because each gateway has its own state.
    ///
    /// - Parameter reservedCookies: The names of cookies that the routes do not set. Browsers send a cookie to all ports of a host.
    static func test(reservedCookies: Set<String> = []) -> [any RouteGroup] {
        [
            EchoRoutes(),
            StatusRoutes(),
            DelayRoutes(),
            BytesRoutes(),
            StreamRoutes(),
            CookiesRoutes(reservedNames: reservedCookies),
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
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension AuthorizationServer {
    /// The server's endpoints, pages and resources.
    nonisolated var routeGroups: [any RouteGroup] {
        var groups: [any RouteGroup] = [
            MagicLinkRoutes(server: self),
            PushRoutes(server: self),
            RegistrationRoutes(server: self),
            DeviceAuthorizationRoutes(server: self),
            IntrospectionRoutes(server: self),
            ResourceRoutes(server: self),
            StatisticsRoutes(server: self),
        ]
        groups += endpoints(.own(configuration))
        for realm in configuration.gatewayRealms {
            groups += realm.paths.flatMap { path -> [any RouteGroup] in
                endpoints(.pingAM(realm, at: path)).map { UnlistedRoutes(group: $0) } + [
                    JourneyRoutes(server: self, realm: realm, path: path),
                    SessionRoutes(server: self, realm: realm, path: path),
                ]
            }
        }
        if let tree = configuration.stepUpTree {
            groups += [TransactionRoutes(server: self, tree: tree), StepUpRoutes(server: self, tree: tree)]
        }
        if !configuration.applications.isEmpty { groups.append(DeviceRoutes(server: self)) }
        if !configuration.resourcePolicies.isEmpty {
            groups.append(ResourceServerRoutes(server: ResourceServer(self)))
        }
        guard configuration.allowsDevelopmentCalls else { return groups }
        return groups + [DevelopmentRoutes(server: self), InboxRoutes(server: self)]
    }

    /// Returns the endpoints for OAuth and OpenID Connect at some paths.
    private nonisolated func endpoints(_ paths: EndpointPaths) -> [any RouteGroup] {
        [
            DiscoveryRoutes(server: self, paths: paths),
            AuthorizeRoutes(server: self, paths: paths),
            TokenRoutes(server: self, paths: paths),
            UserInfoRoutes(server: self, paths: paths),
        ]
    }
}

/// Routes that the index does not list.
@available(macOS 14, iOS 17, tvOS 17, *)
private struct UnlistedRoutes: RouteGroup {
    let group: any RouteGroup
    let routeDescriptions: [String: String] = [:]

    func addRoutes(to router: Router<GatewayContext>) {
        group.addRoutes(to: router)
    }
}
