/// The page at `/`: the routes, the development accounts and commands to try.
struct IndexPage: Page {
    let baseURL: String
    /// The base URL of the routes for testing clients, if it is another one.
    let testURL: String?
    /// The descriptions of the routes.
    let routes: [String: String]
    /// The accounts with public passwords and secrets.
    let accounts: [DevelopmentAccount]
    let commands: [String]

    var html: String {
        PageLayout(
            title: "Development server",
            content: """
                <h1>Development server</h1>
                <p class="lead">The URL is <strong>\(baseURL)</strong>. All data is in memory until the process ends.</p>
                \(testRoutes)
                \(accountList)
                \(commandList)
                <h2>Routes</h2>
                <p class="hint">The same list in JSON: <code>Accept: application/json</code></p>
                <dl>
                \(routes.sorted { $0.key < $1.key }.map { Self.entry($0.key, $0.value) })\
                </dl>
                """,
            isWide: true
        ).html
    }

    private var testRoutes: Markup? {
        testURL.map { "<p>Routes for testing clients: <a href=\"\($0)/\">\($0)</a></p>" }
    }

    private var accountList: Markup? {
        if accounts.isEmpty { return nil }
        return """
            <h2>Accounts</h2>
            <p class="hint">Everyone knows these passwords and secrets. Use them only for development.</p>
            <dl>
            \(accounts.map { "<dt>\($0.kind) \($0.name)</dt>\n<dd>\($0.description)</dd>\n" as Markup })\
            </dl>
            """
    }

    private var commandList: Markup? {
        if commands.isEmpty { return nil }
        return "<h2>Commands to try</h2>\n\(commands.map { "<pre>\($0)</pre>\n" as Markup })"
    }

    /// Returns a route with its description. A route that a browser can open is a link.
    private static func entry(_ route: String, _ description: String) -> Markup {
        let isComplete = !route.contains { "{*".contains($0) }
        let isOpenable = isComplete && (description.hasPrefix("GET") || description.hasPrefix("Any method"))
        let path = String(route.prefix { $0 != "?" })
        let name: Markup = isOpenable ? "<a href=\"\(path)\">\(route)</a>" : "\(route)"
        return "<dt>\(name)</dt>\n<dd>\(description)</dd>\n"
    }
}
