import ArgumentParser
import Sallyport
import SallyportOAuth

/// Finds problems of a server or a login.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Finds problems of a server or a login: clock, discovery, keys, audience.",
        discussion: "No secrets are sent. The exit status is 1 if there is a problem."
    )

    @Option(help: ArgumentHelp("A server to check without a profile.", valueName: "url"))
    var issuer: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The expected audience of the access token.", valueName: "name")
    )
    var audience: String?

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "With --issuer: trust only the authorities in a file of PEM certificates.",
            valueName: "file"
        ),
        completion: .file()
    )
    var authorities: String?

    @Flag(help: "Print a JSON array with an object for each finding.")
    var json = false

    @OptionGroup
    var profile: ProfileOptions

    func validate() throws {
        if let issuer, let problem = EndpointAddress.problem(with: issuer) {
            throw ValidationError("--issuer needs a URL such as https://id.example.com: \(problem).")
        }
        if authorities != nil, issuer == nil {
            throw ValidationError("--cacert needs --issuer; a profile has its own authorities.")
        }
        if issuer != nil, profile.profile != nil {
            throw ValidationError("Only one of --issuer and --profile can be used.")
        }
    }

    func run() async throws {
        let doctor: Doctor
        do {
            doctor = try self.doctor()
        } catch let failure as CommandFailure where issuer == nil && failure.status == .unreadableInput {
            return try Self.report([Self.unusable(try profile.name(), failure.message)], asJson: json)
        }
        try await Interruption.cancelOnSignal { [json] in try Self.report(try await doctor.findings(), asJson: json) }
    }

    /// Prints findings.
    ///
    /// - Throws: A failure if one of them is a problem.
    private static func report(_ findings: [Finding], asJson: Bool) throws {
        if asJson { print(try JsonText.indented(findings)) } else { for finding in findings { print(finding.line) } }
        let problems = findings.count { $0.level == .problem }
        if problems > 0 { throw CommandFailure(.other, "\(problems) problem\(problems == 1 ? "" : "s")") }
    }

    private func doctor() throws -> Doctor {
        let session: ProfileSession
        if let issuer {
            var profile = Profile(issuer: issuer, clientID: "", flow: .browser)
            profile.authorities = authorities
            session = try ProfileSession(profile, named: .standard)
        } else {
            session = try ProfileSession.load(profile.name())
        }
        return Doctor(
            issuer: session.profile.issuer,
            httpClient: session.httpClient,
            server: OAuthServer(
                issuer: session.profile.issuer,
                httpClient: session.httpClient,
                issuerTemplate: session.profile.issuerTemplate
            ),
            session: issuer == nil ? session : nil,
            audience: audience
        )
    }

    private static func unusable(_ name: ProfileName, _ reason: String) -> Finding {
        .problem("The profile \(name) cannot be used: \(reason).", "Nothing was sent. Correct this, and try again.")
    }
}
