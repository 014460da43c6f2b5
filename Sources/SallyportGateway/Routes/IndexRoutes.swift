import HTTPTypes
import Hummingbird

/// The list of all routes, at `/`: a page for browsers, and JSON for other clients.
@available(macOS 14, iOS 17, tvOS 17, *)
struct IndexRoutes: RouteGroup {
    let routeDescriptions: [String: String]
    private let configuration: GatewayConfiguration

    init(routeGroups: [any RouteGroup], configuration: GatewayConfiguration = GatewayConfiguration()) {
        let own = ["/": "GET: this list, as a page with Accept: text/html."]
        routeDescriptions = routeGroups.reduce(into: own) { routeDescriptions, group in
            routeDescriptions.merge(group.routeDescriptions) { first, _ in first }
        }
        self.configuration = configuration
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/") { request, context -> Response in
            var response: Response
            if request.headers[.accept]?.contains("text/html") == true {
                response = BrowserPages.response(with: await page(for: request))
            } else {
                let index = RouteIndex(name: "Sallyport gateway", routes: routeDescriptions)
                response = try index.response(from: request, context: context)
            }
            response.headers[.vary] = "Accept"
            return response
        }
    }

    /// Returns the page. Its URL is the issuer, if there is one, because clients compare it with the URL that they were given.
    private func page(for request: Request) async -> IndexPage {
        let scheme = GatewayAddress(configuration: configuration, port: 0).isSecure ? "https" : "http"
        let baseURL =
            await configuration.authorizationServer?.issuer ?? "\(scheme)://\(request.head.authority ?? "localhost")"
        let testURL = configuration.testURL(for: baseURL)
        return IndexPage(
            baseURL: baseURL,
            testURL: testURL == baseURL ? nil : testURL,
            routes: routeDescriptions,
            accounts: configuration.authorizationServer?.configuration.shownAccounts ?? [],
            commands: configuration.suggestedCommands(baseURL, testURL)
        )
    }
}

extension GatewayConfiguration {
    /// Returns the base URL of the test routes of a gateway with a base URL; `nil` if there are none.
    fileprivate func testURL(for baseURL: String) -> String? {
        guard hasTestRoutes else { return nil }
        return testPort.map { GatewayAddress(configuration: self, port: port, testPort: $0).testURL } ?? baseURL
    }
}

extension AuthorizationServerConfiguration {
    /// The development accounts that the app has not removed.
    fileprivate var shownAccounts: [DevelopmentAccount] {
        let names = Set(users.map(\.username) + clients.map(\.id))
        return developmentAccounts.filter { names.contains($0.name) }
    }
}

private struct RouteIndex: ResponseEncodable {
    let name: String
    let routes: [String: String]
}

/// Reports that the gateway is running.
@available(macOS 14, iOS 17, tvOS 17, *)
struct HealthRoutes: RouteGroup {
    let routeDescriptions = ["/health": "GET: reports that the gateway is running."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/health") { _, _ in
            Health(status: "ok")
        }
    }
}

private struct Health: ResponseEncodable {
    let status: String
}
