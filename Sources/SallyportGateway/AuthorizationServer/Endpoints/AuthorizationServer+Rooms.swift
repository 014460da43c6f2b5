@available(macOS 14, iOS 17, tvOS 17, *)
extension AuthorizationServer {
    /// Its endpoints, pages and resources.
    nonisolated var rooms: [any Room] {
        let rooms: [any Room] = [
            DiscoveryRoom(server: self),
            AuthorizeRoom(server: self),
            TokenRoom(server: self),
            RegistrationRoom(server: self),
            DeviceRoom(server: self),
            ResourceRoom(server: self),
            StatisticsRoom(server: self),
        ]
        return configuration.allowsDevelopmentCalls ? rooms + [DevelopmentRoom(server: self)] : rooms
    }

    /// Counts a refusal, for the statistics.
    func count(_ refusal: OAuthRefusal) {
        statistics.refusals[refusal.code.rawValue, default: 0] += 1
    }
}
