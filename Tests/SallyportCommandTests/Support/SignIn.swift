import Foundation
import Sallyport
import SallyportGateway
import TestSupport
import Testing

/// A gateway with an authorization server, and an empty folder for profiles.
struct SignIn: Sendable {
    let base: String
    let identity: AuthorizationServer
    /// The folder of the profiles.
    let home: URL
    /// The certificate of the gateway's authority, if it serves over TLS.
    var authority: String?

    /// Runs a test with its own gateway.
    static func with(
        secure: Bool = false,
        _ configure: (inout AuthorizationServerConfiguration) -> Void = { _ in },
        _ body: (SignIn) async throws -> Void
    ) async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        configuration.lifetimes.deviceInterval = 1
        configure(&configuration)
        let identity = try AuthorizationServer(configuration)
        let authority = secure ? try DevelopmentAuthority() : nil
        let gateway = GatewayConfiguration(
            tls: authority.map { .developmentAuthority($0) } ?? .none,
            authorizationServer: identity
        )
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("authority.pem").path
            try authority?.write(certificateTo: file)
            try await Gateway.withRunning(gateway) { address in
                let home = folder.appendingPathComponent("home")
                let authority = secure ? file : nil
                try await body(SignIn(base: address.baseURL, identity: identity, home: home, authority: authority))
            }
        }
    }

    /// The URL of a resource that requires a token.
    var protected: String { base + "/protected" }

    /// The environment of the command, without the variables of the user who runs the tests.
    func environment(_ more: [String: String] = [:]) -> [String: String] {
        Tool.environment(home: home).merging(["BROWSER": "/bin/true"].merging(more) { $1 }) { $1 }
    }

    /// Runs the command to its end.
    @discardableResult
    func run(
        _ arguments: String...,
        input: String = "",
        environment: [String: String] = [:]
    ) async throws -> Tool.Outcome {
        try await Tool.run(arguments, input: Data(input.utf8), environment: self.environment(environment))
    }

    /// Starts the command.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningTool {
        try Tool.start(arguments, environment: self.environment(environment))
    }

    /// Returns the arguments of a login with all required options.
    func login(_ client: String = "pub", _ more: [String] = []) -> [String] {
        ["login", "--issuer", base, "--client-id", client] + (authority.map { ["--cacert", $0] } ?? []) + more
    }

    /// Signs alice in with a browser.
    @discardableResult
    func asAlice(_ more: String..., environment: [String: String] = [:]) async throws -> Tool.Outcome {
        try await asAlice(more, environment: environment)
    }

    /// Signs alice in with a browser.
    @discardableResult
    func asAlice(_ more: [String], environment: [String: String] = [:]) async throws -> Tool.Outcome {
        let tool = try start(
            login("pub", ["--scope", "openid profile offline_access api"] + more),
            environment: environment
        )
        try await Visitor(authority).visit(try await tool.signInPage())
        let outcome = try await tool.outcome()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome
    }

    /// Logs in as the client conf by client credentials, with the secret in the environment.
    @discardableResult
    func asClient(_ more: String..., environment: [String: String] = [:]) async throws -> Tool.Outcome {
        let secret = ["SALLYPORT_CLIENT_SECRET": "s3cret-conf"].merging(environment) { _, new in new }
        let outcome = try await start(
            login("conf", ["--flow", "client-credentials", "--scope", "api"] + more),
            environment: secret
        ).outcome()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome
    }

    /// The number of times that the gateway has issued tokens.
    func grants(_ type: String) async -> Int { await identity.statistics.grants[type, default: 0] }

    /// The text of a profile's file.
    func file(_ name: String, of profile: String = "default") throws -> String {
        try String(contentsOf: home.appendingPathComponent("\(profile)/\(name)"), encoding: .utf8)
    }
}

extension RunningTool {
    /// The URL that the command opens in a browser.
    func signInPage() async throws -> String {
        let text = try await errors(containing: "\nhttp")
        return try #require(text.split(separator: "\n").first { $0.hasPrefix("http") }.map(String.init), "\(text)")
    }
}

/// A simulated browser that stores cookies, follows redirects and submits forms as the user alice.
struct Visitor {
    private let client: HttpClient

    init(_ authority: String? = nil) {
        client = HttpClient.createClient { config in
            if let authority {
                config.transportConfiguration.security.trustRoots = .file(URL(fileURLWithPath: authority))
            }
        }
    }

    /// Submits forms until a page has none.
    @discardableResult
    func visit(_ page: String, decision: String = "allow") async throws -> HttpResponse {
        defer { client.close() }
        var url = try #require(URL(string: page))
        var response = try await client.request { $0.url = url.absoluteString }
        for _ in 0..<10 {
            if let location = response.getHeader(name: "Location") {
                url = try #require(URL(string: location, relativeTo: url)?.absoluteURL)
                response = try await client.request { $0.url = url.absoluteString }
            } else if let form = Form(response) {
                url = try #require(URL(string: form.action, relativeTo: url)?.absoluteURL)
                let known = ["username": "alice", "password": "wonderland", "decision": decision]
                response = try await client.request { request in
                    request.url = url.absoluteString
                    request.form(parameters: form.hidden.merging(known) { hidden, _ in hidden })
                }
            } else {
                return response
            }
        }
        return response
    }

    /// The form of a page, with its action and hidden fields.
    private struct Form {
        let action: String
        let hidden: [String: String]

        init?(_ response: HttpResponse) {
            let text = response.bodyAsString()
            guard let match = text.firstMatch(of: /<form method="post" action="([^"]*)">/) else { return nil }
            let fields = text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
            action = Self.plain(match.1)
            hidden = Dictionary(fields.map { (Self.plain($0.1), Self.plain($0.2)) }) { first, _ in first }
        }

        private static func plain(_ text: Substring) -> String {
            String(text).replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&amp;", with: "&")
        }
    }
}
