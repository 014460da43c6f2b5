import ArgumentParser
import Foundation
import Sallyport
import SallyportResource

/// Sends resource calls as a user, an implicit user, the device, or without a token.
struct ResourceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resource",
        abstract:
            "Calls a resource over a pinned connection, as a user, an implicit user, the device, or without a token.",
        discussion: """
            The paths are below the resourceBaseURL of the settings that sallyport device register has stored, or of --config. \
            Before each call, the integrity of this device is checked; see sallyport integrity.

            Examples:
              sallyport device register --config app.json --sign-in --scope accounts
              sallyport resource get /accounts --as user
              sallyport resource get /greeting --as implicit --scope greeting
              sallyport resource get /assets --as device --scope assets
              sallyport resource get /public --as none
            """,
        subcommands: [
            ResourceCallCommand<GetMethod>.self, ResourceCallCommand<HeadMethod>.self,
            ResourceCallCommand<PostMethod>.self,
            ResourceCallCommand<PutMethod>.self, ResourceCallCommand<PatchMethod>.self,
            ResourceCallCommand<DeleteMethod>.self,
        ]
    )
}

/// A subcommand that sends one resource call with the method `Method`.
struct ResourceCallCommand<Method: RequestMethod>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Method.method.rawValue.lowercased(), abstract: Method.abstract)
    }

    @Argument(
        help: ArgumentHelp("The path of the resource, or an https URL of a configured server.", valueName: "path")
    )
    var path: String

    @OptionGroup(title: "Call Options")
    var call: ResourceCallOptions

    @OptionGroup(title: "Request Options")
    var content: ResourceContentOptions

    @OptionGroup(title: "Response Options")
    var destination: ResponseDestinationOptions

    @Flag(
        help:
            "Write the body unchanged. By default, a terminal shows the head, JSON and XML indented, and control characters escaped."
    )
    var raw = false

    @Flag(help: "Exit with status 22 and write no body if the HTTP status is not 200 to 299.")
    var fail = false

    @Flag(
        name: .shortAndLong,
        help: "Show requests and responses as sent, also those for tokens, on standard error, with secrets masked."
    )
    var verbose = false

    @OptionGroup(title: "Settings")
    var options: ResourceSettingsOptions

    func validate() throws {
        try StandardInputUses.check(content.standardInputUses)
    }

    func run() async throws {
        let (command, settings, name) = (self, try options.settings(), try options.profile.name())
        let shown = verbose ? VerboseInterceptor(asksForCompression: true) : nil
        try await Interruption.cancelOnSignal {
            try await settings.withClient(of: name, verbose: shown) { client in
                let method = HTTPMethod(rawValue: Method.method.rawValue)
                let request = try await command.content.request(path: command.path, method: method)
                let output = try ResponseOutput(path: command.destination.output, isRaw: command.raw)
                do {
                    let (response, error) = try await command.call.usingRegistration(of: client, name) {
                        try await command.response(to: request, from: client, name)
                    }
                    let style = ResponseStyle(
                        isRaw: command.raw,
                        includesHead: command.destination.include,
                        isVerbose: command.verbose
                    )
                    let refusal = command.fail ? error : nil
                    try await ResponseWriter(style: style, output: output)
                        .writeCollected(response, isRefused: refusal != nil)
                    if let refusal { throw refusal }
                    try await output.finish()
                    if command.verbose { ResponseWriter.showSummary(of: response, Int64(response.body?.count ?? 0)) }
                } catch {
                    output.discard()
                    throw error
                }
            }
        }
    }

    /// Returns the response, and the error for its status unless it is 200 to 299.
    private func response(
        to request: ResourceRequest,
        from client: ResourceClient,
        _ name: ProfileName
    ) async throws -> (HttpResponse, ResourceError?) {
        do {
            return (try await call.send(request, with: client, name).httpResponse, nil)
        } catch let error as ResourceError {
            guard let response = error.response, error.reason == .status else { throw error }
            return (response.httpResponse, error)
        }
    }
}

/// The options for the kind of call and its authentication.
struct ResourceCallOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            """
            user sends the token of the user who has signed in; implicit that of a registered user, without interaction; device that \
            of this device; none sends no token.
            """
        )
    )
    var kind: ResourceCall

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A scope of the token for --as implicit and --as device. (repeatable)", valueName: "scope"),
        transform: ScopeArgument.init
    )
    var scope: [ScopeArgument] = []

    @Option(
        help: ArgumentHelp("The user of --as implicit. (default: the only registered user)", valueName: "name")
    )
    var subject: String?

    func validate() throws {
        if subject != nil, kind != .implicit { throw ValidationError("--subject needs --as implicit.") }
        if subject?.isEmpty == true { throw ValidationError("--subject needs the name of a user.") }
        if !scope.isEmpty, kind != .implicit, kind != .anonymous {
            throw ValidationError(
                "--scope needs --as implicit or --as device; users get their scopes when they sign in."
            )
        }
    }

    /// Calls a closure that sends a call, with `--as device` only if this device is registered.
    ///
    /// The SDK registers a device that is not registered, or that the server has deregistered. The command registers it only in the second
    /// case, and prints this, because users must sign in again.
    func usingRegistration<Value>(
        of client: ResourceClient,
        _ name: ProfileName,
        _ send: () async throws -> Value
    ) async throws -> Value {
        guard kind == .anonymous else { return try await send() }
        guard let previous = try await client.identity.registration() else {
            throw CommandFailure(.loginDenied, "this device is not registered: sallyport device register\(name.option)")
        }
        return try await previous.reportingReplacement(in: client, name, send)
    }

    /// Authenticates the device or the implicit user if necessary, and sends a request.
    ///
    /// - Throws: ``ResourceError``, with the response if its status is not 200 to 299; ``CommandFailure`` that names the implicit user if
    ///   the authentication fails.
    func send(
        _ request: ResourceRequest,
        with client: ResourceClient,
        _ name: ProfileName
    ) async throws -> ResourceResponse {
        let scopes = scope.flatMap(\.scopes)
        switch kind {
        case .authenticated: return try await client.userClient.sendAuthenticatedRequest(request)
        case .unauthenticated: return try await client.deviceClient.sendUnauthenticatedRequest(request)
        case .implicit:
            let user = try await user(of: client, name)
            do throws(ResourceError) {
                try await client.userClient.implicitlyAuthenticate(user: user, scopes: scopes)
            } catch {
                let failure = error.commandFailure(of: name)
                throw CommandFailure(failure.status, "as the user \(Self.shown(user)): \(failure.message)")
            }
            return try await client.userClient.sendImplicitRequest(request)
        case .anonymous:
            if await needsAuthentication(client.identity, scopes) {
                try await client.deviceClient.authenticateDevice(scopes: scopes)
            }
            return try await client.deviceClient.sendAuthenticatedRequest(request)
        }
    }

    /// Returns `true` if the device has no token, or one without a requested scope.
    private func needsAuthentication(_ identity: DeviceIdentity, _ scopes: [String]) async -> Bool {
        guard let tokens = try? await identity.deviceSession.current() else { return true }
        return !Set(scopes).isSubset(of: tokens.scopes ?? [])
    }

    /// Returns the user of an implicit call.
    private func user(of client: ResourceClient, _ name: ProfileName) async throws -> String {
        let users = try await client.userClient.registeredUsers
        if let subject, users.contains(subject) { return subject }
        if subject == nil, users.count == 1 { return users[0] }
        let register = "sallyport device register\(name.option) --sign-in"
        let names = users.map(Self.shown).joined(separator: ", ")
        let problem =
            switch (subject, users.isEmpty) {
            case (nil, true): "no user is registered on this device: \(register)"
            case (nil, false): "several users are registered on this device; select one with --subject: \(names)"
            case (let user?, true): "the user \(Self.shown(user)) is not registered on this device: \(register)"
            case (let user?, false):
                "the user \(Self.shown(user)) is not registered on this device, which has the users \(names): "
                    + "select one with --subject, or register the user: \(register)"
            }
        throw CommandFailure(.loginDenied, problem)
    }

    private static func shown(_ user: String) -> String { VisibleText.line(user, longest: 100) }
}

extension ResourceCall: ExpressibleByArgument {}
