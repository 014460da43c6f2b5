import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ProfileTests {
    private static let key = Data(repeating: 7, count: 32).base64EncodedString()

    @Test func `Profiles have separate tokens and are listed`() async throws {
        try await SignIn.with { first in
            let empty = try await first.run("profiles")
            #expect(empty.status == 0)
            #expect(empty.output.isEmpty)
            #expect(empty.errors.contains("no profile in \(first.home.path)"))
            try await SignIn.with { second in
                try await first.asAlice("--profile", "one")
                let two = second.login("conf", ["--flow", "client-credentials", "--scope", "api", "--profile", "two"])
                let secret = ["SALLYPORT_CLIENT_SECRET": "s3cret-conf"]
                #expect(try await Tool.run(two, environment: first.environment(secret)).status == 0)
                let list = try await first.run("profiles").text.split(separator: "\n")
                #expect(list.count == 2)
                #expect(list.first == "one  pub at \(first.base)  logged in")
                let json = try await first.run("profiles", "--json")
                let profiles = try JSONDecoder().decode([[String: String]].self, from: json.output)
                #expect(
                    profiles.first == [
                        "name": "one", "kind": "login", "client": "pub", "server": first.base, "state": "logged in",
                    ]
                )
                #expect(profiles.map { $0["name"] } == ["one", "two"])
                #expect(list.last?.hasPrefix("two  conf at \(second.base)  logged in until 2") == true)
                #expect(try await first.run("get", first.protected, "--auth=one", "--fail").status == 0)
                #expect(try await first.run("get", second.protected, "--auth=two", "--fail").status == 0)
                #expect(try await first.run("get", first.protected, "--auth=two", "--fail").status == 22)
                #expect(try await first.run("logout", "--profile", "one").status == 0)
                #expect(try await first.run("profiles").text.hasPrefix("one  pub at \(first.base)  logged out\ntwo  "))
                #expect(try await first.run("get", second.protected, "--auth=two", "--fail").status == 0)
            }
        }
    }

    @Test func `A profile is removed when it is logged out, or with --force`() async throws {
        try await SignIn.with { signIn in
            let missing = try await signIn.run("profiles", "remove", "work")
            #expect(missing.status == 2)
            #expect(missing.errors.contains("there is no profile work; there are no profiles"), "\(missing.errors)")
            try await signIn.asClient("--profile", "work")
            let refused = try await signIn.run("profiles", "remove", "work")
            #expect(refused.status == 2)
            #expect(
                refused.errors.contains(
                    "the profile work has tokens: run sallyport logout --profile work first, or remove all of it with --force"
                ),
                "\(refused.errors)"
            )
            #expect(try await signIn.run("logout", "--profile", "work").status == 0)
            let removed = try await signIn.run("profiles", "remove", "work")
            #expect(removed.errors == "Removed the profile work: settings. Nothing was sent to a server.\n")
            #expect(try signIn.home.names.isEmpty)
            try await signIn.asClient("--profile", "work")
            let forced = try await signIn.run("profiles", "remove", "work", "--force")
            #expect(forced.errors == "Removed the profile work: settings, tokens. Nothing was sent to a server.\n")
            #expect(try signIn.home.names.isEmpty)
        }
    }

    @Test func `Authenticators of a profile and tokens that cannot be read are removed only with --force`() async throws
    {
        try await SignIn.with { signIn in
            let uri = "otpauth://totp/Shop:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Shop"
            #expect(try await signIn.run("otp", "add", "-", input: uri).status == 0)
            let refused = try await signIn.run("profiles", "remove", "default")
            #expect(refused.status == 2)
            #expect(
                refused.errors.contains("has one-time passwords: run sallyport otp remove first"),
                "\(refused.errors)"
            )
            try await signIn.asClient()
            try #require(chmod(signIn.home.appendingPathComponent("default/tokens").path, 0o644) == 0)
            #expect(try await signIn.run("profiles", "remove", "default").errors.contains("tokens, one-time passwords"))
            #expect(try await signIn.run("profiles", "remove", "default", "--force").status == 0)
            #expect(try signIn.home.names.isEmpty)
        }
    }

    @Test func `Profile files and folders are private, and missing parent folders are created`() async throws {
        try await SignIn.with { signIn in
            let home = signIn.home.appendingPathComponent("a/b")
            try await signIn.asClient(environment: ["SALLYPORT_HOME": home.path])
            for folder in [home, home.appendingPathComponent("default"), signIn.home] {
                #expect(try mode(of: folder) == 0o700, "\(folder.path)")
            }
            let names = try home.appendingPathComponent("default").names
            #expect(names == ["profile.json", "tokens", "tokens.lock"])
            for name in names {
                #expect(try mode(of: home.appendingPathComponent("default/\(name)")) == 0o600, "\(name)")
            }
        }
    }

    @Test func `Tokens that others can read are refused with 26 and advice`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            try #require(chmod(signIn.home.appendingPathComponent("default/tokens").path, 0o644) == 0)
            let outcome = try await signIn.run("get", signIn.protected, "--auth")
            #expect(outcome.status == 26)
            #expect(outcome.errors.contains("chmod 600"))
            #expect(try await signIn.run("profiles").text.contains("not readable"))
            #expect(try await signIn.run("logout", "--local").status == 0)
        }
    }

    @Test(arguments: [0o622, 0o644])
    func `A profile that others can read or change is refused with 26 and advice`(mode: mode_t)
        async throws
    {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            try #require(chmod(signIn.home.appendingPathComponent("default/profile.json").path, mode) == 0)
            let outcome = try await signIn.run("get", signIn.protected, "--auth")
            #expect(outcome.status == 26)
            #expect(outcome.errors.contains("chmod 600"), "\(outcome.errors)")
        }
    }

    @Test func `With SALLYPORT_STORE_KEY, the token file is encrypted and can be read only with that key`()
        async throws
    {
        try await SignIn.with { signIn in
            let variables = ["SALLYPORT_STORE_KEY": Self.key]
            try await signIn.asAlice(environment: variables)
            let token = try await signIn.run("token", environment: variables).text.trimmingCharacters(in: .newlines)
            let file = try signIn.file("tokens")
            #expect(file.contains("A256GCM"))
            #expect(!file.contains(token))
            await signIn.identity.expireAccessTokens()
            let call = try await signIn.run("get", signIn.protected, "--auth", "--fail", environment: variables)
            #expect(call.status == 0)
            let keyFile = try signIn.home.deletingLastPathComponent().file("key", Self.key + "\n")
            try #require(chmod(keyFile, 0o600) == 0)
            let fromFile = ["SALLYPORT_STORE_KEY_FILE": keyFile]
            #expect(try await signIn.run("token", environment: fromFile).status == 0)
            let other = ["SALLYPORT_STORE_KEY": Data(repeating: 8, count: 32).base64EncodedString()]
            for (environment, words) in [([:], "give the store its key"), (other, "another key")] {
                let outcome = try await signIn.run("get", signIn.protected, "--auth", environment: environment)
                #expect(outcome.status == 26)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.contains(words))
            }
            #expect(try await signIn.run("logout", "--local").status == 0)
        }
    }

    @Test func `A login without the store key does not replace encrypted tokens`() async throws {
        let variables = ["SALLYPORT_STORE_KEY": Self.key]
        try await SignIn.with { signIn in
            try await signIn.asClient(environment: variables)
            let before = await signIn.identity.statistics
            let outcome = try await signIn.run(
                "login",
                "--flow",
                "client-credentials",
                environment: ["SALLYPORT_CLIENT_SECRET": "s3cret-conf"]
            )
            #expect(outcome.status == 26)
            #expect(outcome.errors.contains("is encrypted; give the store its key: set SALLYPORT_STORE_KEY"))
            #expect(await signIn.identity.statistics == before)
            #expect(try signIn.file("tokens").contains("A256GCM"))
            #expect(try await signIn.run("token", environment: variables).status == 0)
        }
    }

    @Test(arguments: ["", key])
    func `A token file of another issuer's profile is refused with 67 before a request is sent`(key: String)
        async throws
    {
        let variables = ["SALLYPORT_STORE_KEY": key]
        try await SignIn.with { first in
            try await SignIn.with { second in
                try await first.asAlice(environment: variables)
                let home = variables.merging(["SALLYPORT_HOME": first.home.path]) { $1 }
                try await second.asAlice("--profile", "other", environment: home)
                let files = ["default/tokens", "other/tokens"].map(first.home.appendingPathComponent)
                try FileManager.default.removeItem(at: files[0])
                try FileManager.default.copyItem(at: files[1], to: files[0])
                let before = await first.identity.statistics
                for words in [["get", first.protected, "--auth"], ["token"], ["refresh"], ["logout"]] {
                    let outcome = try await Tool.run(words, environment: first.environment(variables))
                    #expect(outcome.status == 67)
                    #expect(outcome.output.isEmpty)
                    #expect(
                        outcome.errors.contains("belong to the client pub at \(second.base), but this command uses")
                    )
                }
                #expect(await first.identity.statistics == before)
                let list = try await first.run("profiles", environment: variables)
                #expect(list.text.contains("not usable: the tokens belong to pub at \(second.base)\n"))
                try await first.asAlice(environment: variables)
                let call = try await first.run("get", first.protected, "--auth", "--fail", environment: variables)
                #expect(call.status == 0, "\(call.errors)")
            }
        }
    }

    @Test func `An unencrypted token file is refused with 67 if there is a store key, until a login replaces it`()
        async throws
    {
        let variables = ["SALLYPORT_STORE_KEY": Self.key]
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let outcome = try await signIn.run("get", signIn.protected, "--auth", environment: variables)
            #expect(outcome.status == 67)
            let problem = "is not encrypted, although the store has a key; log in again: sallyport login"
            #expect(outcome.errors.contains(problem))
            #expect(await signIn.identity.statistics.protectedCalls == 0)
            try await signIn.asAlice(environment: variables)
            #expect(try await signIn.run("token", environment: variables).status == 0)
        }
    }

    @Test func `An invalid store key or a key file that others can read is refused and not quoted`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            let short = try await signIn.run("token", environment: ["SALLYPORT_STORE_KEY": "c2hvcnQ="])
            #expect(short.status == 26)
            #expect(short.errors.contains("32 bytes"))
            #expect(!short.errors.contains("c2hvcnQ="))
            let file = try signIn.home.deletingLastPathComponent().file("key", Self.key)
            try #require(chmod(file, 0o644) == 0)
            let open = try await signIn.run("token", environment: ["SALLYPORT_STORE_KEY_FILE": file])
            #expect(open.status == 26)
            #expect(open.errors.contains("chmod 600"))
        }
    }

    @Test(arguments: ["", "{", "[]", "{\"issuer\": 1}", "\u{0}"])
    func `An invalid profile file is named, and a new login replaces it`(content: String) async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            try await signIn.asClient("--profile", "other")
            let file = signIn.home.appendingPathComponent("default/profile.json")
            try Data(content.utf8).write(to: file)
            try #require(chmod(file.path, 0o600) == 0)
            let outcome = try await signIn.run("get", signIn.protected, "--auth")
            #expect(outcome.status == 26)
            #expect(outcome.errors.contains(file.path))
            #expect(outcome.errors.contains("log in again"))
            let list = try await signIn.run("profiles")
            #expect(list.text.hasPrefix("default  not readable"))
            #expect(list.text.contains("\nother  conf at"))
            try await signIn.asClient()
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
        }
    }

    @Test func `A profile without its client secret is reported`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            let file = signIn.home.appendingPathComponent("default/profile.json")
            try Data(try signIn.file("profile.json").replacing("\"secret\"", with: "\"secr\"").utf8).write(to: file)
            try #require(chmod(file.path, 0o600) == 0)
            let outcome = try await signIn.run("token")
            #expect(outcome.status == 26)
            #expect(outcome.errors.contains("has no secret"))
        }
    }

    @Test func `A login at another server replaces the profile only if its tokens can be stored`()
        async throws
    {
        try await SignIn.with { first in
            try await first.asClient("--api", first.base)
            // The store can neither remove nor replace a directory that is not empty.
            let tokens = first.home.appendingPathComponent("default/tokens")
            try FileManager.default.removeItem(at: tokens)
            try FileManager.default.createDirectory(
                at: tokens.appendingPathComponent("a"),
                withIntermediateDirectories: true
            )
            try await SignIn.with { second in
                let words = second.login("conf", ["--flow", "client-credentials"])
                let secret = ["SALLYPORT_CLIENT_SECRET": "s3cret-conf"]
                let failed = try await Tool.run(words, environment: first.environment(secret))
                #expect(failed.status == 23, "\(failed.errors)")
                #expect(try first.file("profile.json").contains(first.base))
                try FileManager.default.removeItem(at: tokens)
                #expect(try await Tool.run(words, environment: first.environment(secret)).status == 0)
                // The settings of the first login do not apply to the second.
                #expect(!(try first.file("profile.json").contains(first.base)))
            }
        }
    }

    @Test func `Profiles are in SALLYPORT_HOME or XDG_CONFIG_HOME`() async throws {
        try await withTemporaryDirectory { folder in
            let places: [([String: String], String)] = [
                (["SALLYPORT_HOME": "", "XDG_CONFIG_HOME": folder.path], folder.path + "/sallyport"),
                (["SALLYPORT_HOME": folder.path + "/x"], folder.path + "/x"),
            ]
            for (environment, place) in places {
                let outcome = try await Tool.run(["profiles"], environment: environment)
                #expect(outcome.errors.hasPrefix("There is no profile in \(place). "))
            }
        }
    }

    private func mode(of file: URL) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int)
    }
}
