import ArgumentParser
import Foundation
import Sallyport
import SallyportLoopback
import SallyportResource

/// Registers, shows and deregisters this device for resource calls.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Registers this device at a server, for sallyport resource.",
        discussion: """
            A device registers once, with a key that it generates. The key, the registration and the tokens are stored in the folder of \
            the profile, encrypted if SALLYPORT_STORE_KEY (or SALLYPORT_STORE_KEY_FILE) contains a key.

            Examples:
              sallyport device register --config app.json --scope assets
              sallyport device register --sign-in --scope accounts
              sallyport device show
            """,
        subcommands: [DeviceRegisterCommand.self, DeviceShowCommand.self, DeviceResetCommand.self],
        defaultSubcommand: DeviceShowCommand.self
    )
}

struct DeviceRegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Registers this device if it is not registered, authenticates it, and stores the settings.",
        discussion: """
            With --sign-in, a browser opens, and the user who signs in is registered on this device. The tokens are those of \
            sallyport resource --as user, and --as implicit needs no further sign-in.
            """
    )

    @OptionGroup(title: "Settings")
    var options: ResourceSettingsOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A scope to request for the device, or for the user who signs in. (repeatable)",
            valueName: "scope"
        ),
        transform: ScopeArgument.init
    )
    var scope: [ScopeArgument] = []

    @Flag(help: "Sign a user in with a browser, and register the user on this device.")
    var signIn = false

    @Option(help: ArgumentHelp("The time limit for signing in.", valueName: "seconds"))
    var timeout = 300.0

    func validate() throws {
        if !(timeout > 0 && timeout < 1e6) { throw ValidationError("--timeout needs a number greater than zero.") }
    }

    func run() async throws {
        let (settings, name) = (try options.settings(), try options.profile.name())
        let scopes = scope.flatMap(\.scopes)
        let browser = try signIn ? makeBrowser(for: settings) : nil
        try await Interruption.cancelOnSignal {
            let folder = ProfileFolder()
            let result = try await settings.withClient(of: name) { client in
                // A registration can be continued and reset although the command fails. Settings that do not work do
                // not replace those that do.
                if (try? folder.loadResourceSettings(name)) == nil {
                    try folder.saveResourceSettings(settings, as: name)
                }
                let previous = try await client.identity.registration()
                let register = {
                    if let browser {
                        let signIn = BrowserSignIn(browser)
                        let user = try await client.userClient.registerUser(with: signIn, scopes: scopes)
                        return "Registered the user \(user). Next: sallyport resource get PATH --as user\(name.option)"
                    }
                    let server = settings.model.baseURL
                    let clientID = try await Self.authenticate(client, scopes, at: server, isNew: previous == nil)
                    return "Registered at \(server) as \(clientID). "
                        + "Next: sallyport resource get PATH --as device\(name.option)"
                }
                guard let previous else { return try await register() }
                return try await previous.reportingReplacement(in: client, name, register)
            }
            try folder.saveResourceSettings(settings, as: name)
            StandardError.print(result)
        }
    }

    /// Registers and authenticates the device, and prints if only the registration succeeds.
    ///
    /// - Returns: The client identifier of the device.
    private static func authenticate(
        _ client: ResourceClient,
        _ scopes: [String],
        at server: String,
        isNew: Bool
    ) async throws -> String {
        do {
            try await client.deviceClient.authenticateDevice(scopes: scopes)
        } catch {
            if isNew, let registration = try? await client.identity.registration() {
                StandardError.print(
                    "This device is registered at \(server) as \(registration.clientID), but not authenticated."
                )
            }
            throw error
        }
        return try await client.identity.registration()?.clientID ?? "unknown"
    }

    private func makeBrowser(for settings: ResourceSettings) throws(CommandFailure) -> SystemBrowser {
        let address = try LoopbackAddress(redirectURL: settings.redirectURL)
        return SystemBrowser(address, timeout: .seconds(timeout))
    }
}

struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the registration of this device, its users and the state of its tokens.",
        discussion: "No request is sent, so the server may have deregistered the device meanwhile."
    )

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup
    var options: ResourceSettingsOptions

    func run() async throws {
        let (settings, name, json) = (try options.settings(), try options.profile.name(), json)
        try await Interruption.cancelOnSignal {
            try await name.reporting {
                let state = try await Self.state(of: settings, name)
                if json {
                    print(try JsonText.indented(state))
                } else {
                    for line in state.lines { print(VisibleText.line(line)) }
                }
            }
        }
    }

    private static func state(of settings: ResourceSettings, _ name: ProfileName) async throws -> DeviceState {
        let identity = try settings.localIdentity(of: name)
        guard let registration = try await identity.registration() else {
            throw CommandFailure(
                .loginDenied,
                "this device is not registered: sallyport device register\(name.option)"
            )
        }
        return DeviceState(
            appIdentifier: settings.model.appIdentifier,
            appVersion: registration.appVersion,
            appPlatform: settings.model.appPlatform,
            server: settings.model.baseURL,
            clientId: registration.clientID,
            keyThumbprint: registration.keyThumbprint,
            keyProvider: registration.keyProvider,
            registered: registration.date,
            users: registration.users,
            deviceTokenExpires: try await identity.deviceSession.current()?.expiresAt,
            userTokenExpires: try await identity.userSession.current()?.expiresAt
        )
    }
}

/// The registration of this device and the state of its tokens, as `device show` prints them.
private struct DeviceState: Encodable {
    let appIdentifier: String
    let appVersion: String
    let appPlatform: String
    let server: String
    let clientId: String
    let keyThumbprint: String
    let keyProvider: String
    let registered: Date
    let users: [String]
    /// The time at which the token of the device expires; `nil` if there is none.
    let deviceTokenExpires: Date?
    /// The time at which the token of the user who has signed in expires; `nil` if there is none.
    let userTokenExpires: Date?

    /// The lines of the output for people.
    var lines: [String] {
        [
            ("app", "\(appIdentifier) \(appVersion) (\(appPlatform))"),
            ("server", server),
            ("client", clientId),
            ("key", "\(keyThumbprint) (\(keyProvider))"),
            ("since", registered.formatted(.iso8601)),
            ("users", users.isEmpty ? "none" : users.joined(separator: ", ")),
            ("device", Self.tokenState(until: deviceTokenExpires)),
            ("user", Self.tokenState(until: userTokenExpires)),
        ].map { label, value in "\(TextColumns.padded(label, to: 8))\(value)" }
    }

    private static func tokenState(until expiry: Date?) -> String {
        expiry.map { "authenticated, token until \($0.formatted(.iso8601))" } ?? "not authenticated"
    }
}

struct DeviceResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Deregisters this device at the server, and removes its key and all tokens.",
        discussion:
            "If the server cannot be reached, nothing is removed, and you can run the command again, or use --local."
    )

    @Flag(help: "Remove the key and the tokens without calling the server, where they remain valid.")
    var local = false

    @OptionGroup
    var options: ResourceSettingsOptions

    func run() async throws {
        let (settings, name, local) = (try options.settings(), try options.profile.name(), local)
        try await Interruption.cancelOnSignal {
            if local {
                try await name.reporting { try await settings.localIdentity(of: name).reset(locally: true) }
            } else {
                try await Self.advisingLocalReset(of: name) {
                    try await settings.withClient(of: name) { client in try await client.deviceClient.resetDevice() }
                }
            }
            StandardError.print("The device is \(local ? "reset on this computer" : "deregistered").")
        }
    }
}

extension DeviceResetCommand {
    /// Calls a closure, and adds advice to its failure. The failure of a stored file has the same advice already.
    private static func advisingLocalReset(of name: ProfileName, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as any ReportableError where error.commandFailure.status != .unreadableInput {
            let advice = "; to remove only what is stored here: sallyport device reset --local\(name.option)"
            throw CommandFailure(error.commandFailure.status, error.commandFailure.message + advice)
        }
    }
}

extension DeviceRegistration {
    /// Calls a closure, and prints a message if the device was registered again meanwhile because the server had deregistered it.
    func reportingReplacement<Value>(
        in client: ResourceClient,
        _ name: ProfileName,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        if let current = try? await client.identity.registration(), current.clientID != clientID {
            StandardError.print(
                "The server had deregistered this device, which is registered again as \(current.clientID). "
                    + "Users have to sign in again: sallyport device register\(name.option) --sign-in"
            )
        }
        return try result.get()
    }
}

extension LoopbackAddress {
    /// Creates the address of an app's redirect URI. If the URI has no port, any free one is used, because servers ignore the port
    /// (RFC 8252, section 7.3).
    ///
    /// - Throws: A usage error for a URI at which this command cannot receive a response.
    fileprivate init(redirectURL: String) throws(CommandFailure) {
        guard let parts = URLComponents(string: redirectURL), parts.scheme == "http", parts.host == "127.0.0.1",
            parts.user == nil, parts.query == nil, parts.fragment == nil, !parts.percentEncodedPath.isEmpty,
            (0...65_535).contains(parts.port ?? 0)
        else {
            let uri = VisibleText.line(redirectURL, longest: 200)
            throw CommandFailure(
                .usage,
                "--sign-in needs a redirectURL such as http://127.0.0.1/callback in the settings, not \(uri)"
            )
        }
        self.init(port: parts.port ?? 0, path: parts.percentEncodedPath)
    }
}
