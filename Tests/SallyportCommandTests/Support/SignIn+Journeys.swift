import Foundation
import Sallyport
import SallyportGateway
import TestSupport
import Testing

extension SignIn {
    /// The answers of alice to a tree that asks for name and password.
    static let alice = ["--answer", "name=alice", "--answer", "password=wonderland"]

    /// Returns the arguments of a login by a tree.
    func journey(_ tree: String, _ more: [String] = []) -> [String] {
        ["login", "--journey", tree, "--server", base] + (authority.map { ["--cacert", $0] } ?? []) + more
    }

    /// Runs the command to its end.
    @discardableResult
    func run(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:]
    ) async throws -> Tool.Outcome {
        try await Tool.run(arguments, input: Data(input.utf8), environment: self.environment(environment))
    }

    /// Signs alice in with the tree Login.
    @discardableResult
    func byTree(_ more: [String] = []) async throws -> Tool.Outcome {
        let outcome = try await run(journey("Login", Self.alice + ["--scope", "openid profile api"] + more))
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome
    }

    /// The token of the stored session.
    func sessionToken(of profile: String = "default") throws -> String {
        let text = try file("session", of: profile)
        return String(try #require(text.firstMatch(of: /"token":"([^"]*)"/), "\(text)").1)
    }

    /// Returns a Boolean value that indicates whether the server accepts a session.
    func accepts(session token: String) async throws -> Bool {
        let client = HttpClient.createClient()
        defer { client.close() }
        let response = try await client.request { request in
            request.url = base + "/protected/tree"
            request.setHeader(name: "iPlanetDirectoryPro", value: token)
        }
        return response.status.code != 401
    }

    /// Returns a Boolean value that indicates whether the server accepts an access token.
    func accepts(accessToken token: String) async throws -> Bool {
        let client = HttpClient.createClient()
        defer { client.close() }
        let response = try await client.request { request in
            request.url = protected
            request.setHeader(name: "Authorization", value: "Bearer \(token)")
        }
        return response.status.isSuccess()
    }

    /// The access token of the profile.
    func accessToken() async throws -> String {
        try await run(["token"]).text.trimmingCharacters(in: .newlines)
    }
}

extension AuthorizationServerConfiguration {
    /// Replaces the trees by those in JSON.
    mutating func useTrees(_ json: String) {
        stepUpTree = nil
        do {
            trees = try JourneyTrees(json: Data(json.utf8))
        } catch {
            Issue.record(error)
        }
    }
}
