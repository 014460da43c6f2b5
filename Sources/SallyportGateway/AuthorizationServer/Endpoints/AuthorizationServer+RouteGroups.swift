@available(macOS 14, iOS 17, tvOS 17, *)
extension AuthorizationServer {
    /// Its endpoints, pages and resources.
    nonisolated var routeGroups: [any RouteGroup] {
        let routeGroups: [any RouteGroup] = [
            DiscoveryRoutes(server: self),
            AuthorizeRoutes(server: self),
            TokenRoutes(server: self),
            RegistrationRoutes(server: self),
            DeviceAuthorizationRoutes(server: self),
            ResourceRoutes(server: self),
            StatisticsRoutes(server: self),
        ]
        return configuration.allowsDevelopmentCalls ? routeGroups + [DevelopmentRoutes(server: self)] : routeGroups
    }

    /// Counts a refusal, for the statistics.
    func count(_ refusal: OAuthRefusal) {
        statistics.refusals[refusal.code.rawValue, default: 0] += 1
    }
}
