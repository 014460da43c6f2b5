import Crypto
import Foundation
import SallyportGateway
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct FlowTests {
    @Test func `A client secret is read from a file, standard input or the environment and is not shown`()
        async throws
    {
        try await SignIn.with { signIn in
            let file = try signIn.home.deletingLastPathComponent().file("secret", "s3cret-conf\n")
            let arguments = signIn.login("conf", ["--flow", "client-credentials", "--scope", "api"])
            let ways: [([String], String, [String: String])] = [
                (["--client-secret-file", file], "", [:]),
                (["--client-secret-file", "-"], "s3cret-conf\n", [:]),
                (["--client-secret-file", file, "--client-secret-post"], "", [:]),
                ([], "", ["SALLYPORT_CLIENT_SECRET": "s3cret-conf"]),
            ]
            for (number, (words, input, environment)) in ways.enumerated() {
                let outcome = try await Tool.run(
                    arguments + words + ["--profile", "p\(number)"],
                    input: Data(input.utf8),
                    environment: signIn.environment(environment)
                )
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(!outcome.errors.contains("s3cret"))
            }
            #expect(try await signIn.run("get", signIn.protected, "--auth=p1", "--fail").status == 0)
        }
    }

    @Test func `A wrong client secret is refused with 67, and nothing is stored`() async throws {
        try await SignIn.with { signIn in
            let outcome = try await Tool.run(
                signIn.login("conf", ["--flow", "client-credentials"]),
                environment: signIn.environment(["SALLYPORT_CLIENT_SECRET": "wr0ng"])
            )
            #expect(outcome.status == 67)
            #expect(outcome.errors.contains("invalid_client"))
            #expect(!outcome.errors.contains("wr0ng"))
            #expect(try await signIn.run("profiles").text.isEmpty)
        }
    }

    @Test func `With client credentials, expired tokens are requested again without a refresh token`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            await signIn.identity.expireAccessTokens()
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
            #expect(await signIn.grants("client_credentials") == 2)
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
            #expect(await signIn.grants("client_credentials") == 2)
        }
    }

    @Test(arguments: ["file", "-"])
    func `A token from a file or standard input is exchanged`(place: String) async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let token = try await signIn.run("token").text
            let file = try signIn.home.deletingLastPathComponent().file("subject", token)
            let words = ["--flow", "exchange", "--subject-token", place == "-" ? "-" : file, "--profile", "other"]
            let outcome = try await Tool.run(
                signIn.login("conf", words),
                input: place == "-" ? Data(token.utf8) : Data(),
                environment: signIn.environment(["SALLYPORT_CLIENT_SECRET": "s3cret-conf"])
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("no refresh token"))
            #expect(try await signIn.run("get", signIn.protected, "--auth=other").text.contains("alice"))
            await signIn.identity.expireAccessTokens()
            let after = try await signIn.run("get", signIn.protected, "--auth=other")
            #expect(after.text.contains("invalid_token"))
            let again = try await signIn.run("login", "--profile", "other")
            #expect(again.status == 2)
            #expect(again.errors.contains("--subject-token"))
        }
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384])
    func `A client authenticates with a PEM key`(algorithm: SignatureAlgorithm) async throws {
        let pem =
            algorithm == .es256
            ? P256.Signing.PrivateKey().pemRepresentation : P384.Signing.PrivateKey().pemRepresentation
        let key = try #require(try SigningKey(pem: pem, algorithm: algorithm).publicJsonWebKey)
        let metadata = ClientMetadata(
            authenticationMethod: .privateKeyJwt,
            grantTypes: ["client_credentials"],
            scope: "api",
            keys: JsonWebKeySet([key])
        )
        try await SignIn.with({ $0.clients.append(GatewayClient(id: "keyed", metadata: metadata)) }) { signIn in
            let file = try signIn.home.deletingLastPathComponent().file("key.pem", pem)
            let outcome = try await Tool.run(
                signIn.login("keyed", ["--flow", "client-credentials", "--private-key", file]),
                environment: signIn.environment()
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
        }
    }
}
