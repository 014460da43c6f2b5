import Foundation
import SallyportGateway
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DeviceCommandTests {
    @Test func `A device is registered, shown, used and reset`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let shown = try await signIn.run("device", "show")
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(shown.text.contains("app     com.example.app 1.0 (linux)\n"), "\(shown.text)")
            #expect(shown.text.contains("users   none\n"), "\(shown.text)")
            #expect(shown.text.contains("device  authenticated, token until "), "\(shown.text)")
            let json = try await signIn.run("device", "show", "--json")
            let state = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
            #expect(state["app_identifier"] as? String == "com.example.app")
            #expect(state["server"] as? String == signIn.base)
            #expect(state["client_id"] as? String == (await signIn.identity.devices.first?.clientID))
            #expect(state["users"] as? [String] == [] && state["device_token_expires"] is String)
            #expect(state["user_token_expires"] == nil)
            let called = try await signIn.run("resource", "get", "/assets", "--as", "device")
            #expect(called.status == 0, "\(called.errors)")
            #expect(!called.output.isEmpty)
            #expect(await signIn.grants("client_credentials") == 1)

            let reset = try await signIn.run("device", "reset")
            #expect(reset.status == 0, "\(reset.errors)")
            #expect(await signIn.identity.devices.isEmpty)
            let missing = try await signIn.run("device", "show")
            #expect(missing.status == 67)
            #expect(missing.errors.contains("sallyport device register"), "\(missing.errors)")
        }
    }

    @Test func `A resource call as the device does not register it, and prints that the server has deregistered it`()
        async throws
    {
        try await SignIn.withDeviceSettings { signIn, file in
            let call = ["resource", "get", "/assets", "--as", "device", "--scope", "assets"]
            let settings = ["--config", file, "--cacert", signIn.authority ?? "", "--profile", "other"]
            let refused = try await signIn.run(call + settings)
            #expect(refused.status == 67)
            #expect(refused.errors.contains("sallyport device register --profile other"), "\(refused.errors)")
            #expect(await signIn.identity.devices.isEmpty)

            try await signIn.registerDevice(file)
            let registered = try await signIn.run(call)
            #expect(registered.status == 0 && !registered.errors.contains("again"), "\(registered.errors)")
            let device = try #require(await signIn.identity.devices.first)
            #expect(await signIn.identity.deregisterDevice(device.clientID))
            let again = try await signIn.run(call)
            #expect(again.status == 0, "\(again.errors)")
            #expect(again.errors.contains("The server had deregistered this device"), "\(again.errors)")
            #expect(await signIn.identity.devices.map(\.clientID) != [device.clientID])

            #expect(try await signIn.run("device", "reset").status == 0)
            #expect(try await signIn.run(call).status == 67)
            #expect(await signIn.identity.devices.isEmpty)
        }
    }

    @Test func `A registration prints that the server has deregistered the device`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let repeated = try await signIn.run("device", "register", "--scope", "assets")
            #expect(repeated.status == 0 && !repeated.errors.contains("again"), "\(repeated.errors)")
            let device = try #require(await signIn.identity.devices.first)
            #expect(await signIn.identity.deregisterDevice(device.clientID))
            let outcome = try await signIn.run("device", "register", "--scope", "assets")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("The server had deregistered this device"), "\(outcome.errors)")
            #expect(outcome.errors.contains("sallyport device register --sign-in"), "\(outcome.errors)")
        }
    }

    @Test func `A registration whose authentication is refused can be shown and reset`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            let arguments = ["--config", file, "--cacert", signIn.authority ?? "", "--scope", "nope"]
            let refused = try await signIn.run(["device", "register"] + arguments)
            #expect(refused.status == 67)
            #expect(refused.errors.contains("but not authenticated"), "\(refused.errors)")
            #expect(refused.errors.contains("invalid_scope"), "\(refused.errors)")
            #expect(try await signIn.run("device", "show").status == 0)
            #expect(try await signIn.run("device", "reset").status == 0)
            #expect(await signIn.identity.devices.isEmpty)
        }
    }

    @Test func `The settings in the guide are those of an app of the development server`() async throws {
        try await withTemporaryDirectory { folder in
            let authority = folder.appendingPathComponent("ca.pem").path
            let server = try Tool.start(["serve", "--ca-file", authority])
            let announcement = try await server.output(containing: "Control-C")
            let base = String(try #require(announcement.split(separator: "\n").first))
            let pins = try await Tool.run("pins", String(base.dropFirst("https://".count)), "--cacert", authority).text
            let pin = try #require(pins.split(separator: "\n").last?.split(separator: " ").first)
            let statement = try await Tool.run("serve", "statement", "--app-version", "1.0").text
            let settings = """
                {
                  "appIdentifier": "com.example.app", "appVersion": "1.0",
                  "baseURL": "\(base)", "resourceBaseURL": "\(base)/resources/",
                  "pins": {"127.0.0.1": ["\(pin)"]}, "softwareStatement": "\(statement.trimmingCharacters(in: .newlines))"
                }
                """
            let environment = Tool.environment(home: folder)
            let commands = [
                [
                    "device", "register", "--config", try folder.file("app.json", settings), "--cacert", authority,
                    "--scope", "assets",
                ],
                ["resource", "get", "/assets", "--as", "device", "--fail"],
                [
                    "resource", "post", "/public", "--as", "none", "--parameter", "page=2", "--parameter", "tag=new",
                    "--fail",
                ],
                ["device", "reset"],
            ]
            for command in commands {
                let outcome = try await Tool.run(command, environment: environment)
                #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            }
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }

    @Test func `A user is registered with a browser, and calls resources as user and implicitly`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let missing = try await signIn.run("resource", "get", "/accounts", "--as", "user")
            #expect(missing.status == 67)
            #expect(missing.errors.contains("; sign in with sallyport device register --sign-in"), "\(missing.errors)")
            let other = try await signIn.run([
                "resource", "get", "/accounts", "--as", "user", "--profile", "other", "--config", file, "--cacert",
                signIn.authority ?? "",
            ])
            #expect(other.status == 67)
            let command = "sallyport device register --profile other --sign-in"
            #expect(other.errors.contains(command), "\(other.errors)")
            try await signIn.registerAlice()
            let user = try await signIn.run("resource", "get", "/accounts", "--as", "user", "--fail")
            #expect(user.status == 0, "\(user.errors)")
            let implicit = try await signIn.run(
                "resource",
                "get",
                "/greeting",
                "--as",
                "implicit",
                "--scope",
                "greeting",
                "--fail"
            )
            #expect(implicit.status == 0, "\(implicit.errors)")
            #expect(await signIn.identity.devices.map(\.users.count) == [1])
        }
    }

    @Test func `A resource without a token, an error status, and a token without the scope`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            #expect(try await signIn.run("resource", "get", "/public", "--as", "none", "--fail").status == 0)
            let refused = try await signIn.run("resource", "get", "/assets", "--as", "none")
            #expect(refused.status == 0, "\(refused.errors)")
            #expect(refused.text.contains("invalid_token"), "\(refused.text)")
            let failed = try await signIn.run("resource", "get", "/assets", "--as", "none", "--fail")
            #expect(failed.status == 22)
            #expect(failed.output.isEmpty)
            let forbidden = try await signIn.run("resource", "get", "/accounts", "--as", "device")
            #expect(forbidden.status == 0, "\(forbidden.errors)")
            #expect(forbidden.text.contains("insufficient_scope"), "\(forbidden.text)")
            #expect(try await signIn.run("resource", "get", "/accounts", "--as", "device", "--fail").status == 22)
        }
    }

    @Test func `The profiles of devices are listed`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let device = try #require(await signIn.identity.devices.first)
            let listed = try await signIn.run("profiles")
            #expect(listed.status == 0)
            let line = "default  com.example.app at \(signIn.base)  device \(device.clientID)\n"
            #expect(listed.text == line, "\(listed.errors)")
        }
    }

    @Test func `A device can be shown and reset locally after its pins have expired`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            try SignIn.changeJson(signIn.home.appendingPathComponent("default/resource.json").path) { stored in
                var model = try #require(stored["model"] as? [String: Any])
                model["pinExpiry"] = "2020-01-01T00:00:00Z"
                stored["model"] = model
            }
            for arguments in [["resource", "get", "/public", "--as", "none"], ["device", "reset"]] {
                let refused = try await signIn.run(arguments)
                #expect(refused.status == 2)
                #expect(refused.errors.contains("expired"), "\(refused.errors)")
                let isReset = arguments == ["device", "reset"]
                #expect(refused.errors.contains("sallyport device reset --local") == isReset, "\(refused.errors)")
            }
            let shown = try await signIn.run("device", "show")
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(try await signIn.run("device", "reset", "--local").status == 0)
            #expect(try await signIn.run("device", "show").status == 67)
        }
    }

    @Test(arguments: ["com.example.app:/callback", "http://localhost/callback", "http://127.0.0.1"])
    func `A sign-in with a redirect URI that the command cannot receive is a usage error`(uri: String) async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try SignIn.changeJson(file) { $0["redirectURL"] = uri }
            let arguments = ["device", "register", "--sign-in", "--config", file, "--cacert", signIn.authority ?? ""]
            let outcome = try await signIn.run(arguments)
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains("redirectURL"), "\(outcome.errors)")
            #expect(await signIn.identity.devices.isEmpty)
        }
    }

    @Test func `The files of a device are encrypted with the key in the environment`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            let key = Data((0..<32).map { UInt8($0) }).base64EncodedString()
            let environment = ["SALLYPORT_STORE_KEY": key]
            let arguments = ["device", "register", "--config", file, "--cacert", signIn.authority ?? ""]
            let outcome = try await signIn.run(arguments, environment: environment)
            try #require(outcome.status == 0, "\(outcome.errors)")
            #expect(!(try signIn.file("resource/device-identity.json")).contains("registration_access_token"))
            #expect(try await signIn.run(["device", "show"], environment: environment).status == 0)
            #expect(try await signIn.run(["device", "show"]).status == 26)
            let implicit = try await signIn.run(["resource", "get", "/greeting", "--as", "implicit"])
            #expect(implicit.status == 26)
            #expect(implicit.errors.contains("SALLYPORT_STORE_KEY"), "\(implicit.errors)")
        }
    }

    @Test func `A key that is set after the registration is an error that names the local reset`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let environment = ["SALLYPORT_STORE_KEY": Data((0..<32).map { UInt8($0) }).base64EncodedString()]
            for arguments in [["device", "register"], ["device", "show"], ["device", "reset"]] {
                let refused = try await signIn.run(arguments, environment: environment)
                #expect(refused.status == 26)
                #expect(refused.errors.contains("sallyport device reset --local"), "\(refused.errors)")
            }
            #expect(try await signIn.run(["device", "reset", "--local"], environment: environment).status == 0)
            #expect(try await signIn.run(["device", "register"], environment: environment).status == 0)
        }
    }

    @Test func `A pin mismatch ends the registration with 90, and nothing is sent`() async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity())
        try await withTemporaryDirectory { folder in
            let roots = folder.appendingPathComponent("authority.pem")
            try authority.certificatePEM.write(to: roots, atomically: true, encoding: .utf8)
            try await withScriptedServer([[.stall]], tls: tls) { server in
                let file = folder.appendingPathComponent("app.json")
                let certificate = try TestAuthority().certificatePEM
                let base = "https://\(server.authority)"
                try SignIn.writeDeviceSettings(file, base: base, certificate: certificate, statement: "e30.e30.AAAA")
                let outcome = try await Tool.run(
                    ["device", "register", "--config", file.path, "--cacert", roots.path],
                    environment: Tool.environment(home: folder)
                )
                #expect(outcome.status == 90, "\(outcome.errors)")
                #expect(outcome.errors.contains("sallyport device register --config FILE"), "\(outcome.errors)")
                let connection = try await server.connection(0)
                try await connection.waitUntilClosedByClient()
                #expect(server.connections.allSatisfy { $0.received.isEmpty })
            }
        }
    }

    @Test func `The stored settings remain if a registration with others fails`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let other = try DevelopmentAuthority().certificatePEM
            try SignIn.changeJson(file) { $0["certificates"] = [other] }
            let arguments = ["device", "register", "--config", file, "--cacert", signIn.authority ?? ""]
            #expect(try await signIn.run(arguments).status == 90)
            let stored = try await signIn.run("resource", "get", "/public", "--as", "none", "--fail")
            #expect(stored.status == 0, "\(stored.errors)")
        }
    }

    @Test func `With a file of settings, the authorities of the profile are not used`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let arguments = ["resource", "get", "/public", "--as", "none", "--fail"]
            #expect(try await signIn.run(arguments).status == 0)
            #expect(try await signIn.run(arguments + ["--config", file]).status == 60)
        }
    }

    @Test(
        arguments: [
            (["resource", "get", "/a"], "--as"),
            (["resource", "get", "/a", "--as", "nobody"], "nobody"),
            (["resource", "get", "/a", "--as", "none"], "sallyport device register --config FILE"),
            (["resource", "get", "/a", "--as", "user", "--scope", "a"], "--scope"),
            (["resource", "get", "/a", "--as", "device", "--subject", "alice"], "--subject"),
            (["resource", "post", "/a", "--as", "none", "--body", "x", "--parameter", "a=b"], "--body"),
            (["resource", "post", "/a", "--as", "none", "--form-url"], "--form-url"),
            (["resource", "post", "/a", "--as", "none", "--body", "@-", "-H", "@-"], "standard input"),
            (["device", "register"], "--config FILE"),
            (["resource", "get", "/a", "--as", "implicit", "--subject", ""], "--subject"),
        ] as [([String], String)]
    )
    func `A usage error ends with 2 and names the problem`(arguments: [String], words: String) async throws {
        try await withTemporaryDirectory { folder in
            let outcome = try await Tool.run(arguments, environment: Tool.environment(home: folder))
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }
}
