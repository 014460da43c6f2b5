#if PostgreSQL && os(Linux)
import Foundation
import TestSupport
import Testing

/// Processes in four network namespaces that share the session of a user, and the proxy between them and Glewlwyd.
///
/// `.ci/real-servers fleet` creates the namespaces and starts Glewlwyd and PostgreSQL in a fifth one.
final class Fleet {
    /// The names that `.ci/real-servers` has chosen.
    struct Site: Sendable {
        /// The beginning of the names of the namespaces.
        let name: String
        /// The URL of the database.
        let database: String
        /// The file with the cookies of a user who is signed in at Glewlwyd.
        let cookies: String
    }

    /// A Boolean value that indicates whether the tests have to run.
    static var isRequested: Bool { variable("SALLYPORT_FLEET") != nil }

    private let site: Site
    private let proxy: FleetProcess
    private(set) var members: [FleetProcess] = []
    /// The fingerprint of the newest access token in the database.
    private(set) var current = ""
    /// The events that the proxy has reported since the current rotation began, as words.
    private(set) var events: [[String]] = []
    private var syncs = 0
    /// The time by which the clocks of the members are set forward, in seconds.
    private var offset = 0

    private init(_ site: Site) throws {
        self.site = site
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../RealServers/fleet-proxy.py").standardized.path
        proxy = try FleetProcess("proxy", ["python3", script, site.cookies], in: "\(site.name)-hub")
    }

    /// Runs a closure with a fleet that has signed in.
    static func run(members count: Int, _ body: (Fleet) async throws -> Void) async throws {
        let name = try #require(variable("SALLYPORT_FLEET"))
        guard let database = variable("SALLYPORT_FLEET_DATABASE"), let cookies = variable("SALLYPORT_FLEET_COOKIES")
        else {
            Issue.record(
                """
                There are no network namespaces for the fleet: `ip netns add` failed. Run .ci/real-servers as root on a machine \
                that allows network namespaces, or do not select fleet.
                """
            )
            return
        }
        let fleet = try Fleet(Site(name: name, database: database, cookies: cookies))
        try #require(try await fleet.proxy.nextLine() == "ready")
        fleet.members = try (1...count).map { try fleet.member("\($0)") }
        for member in fleet.members { try #require(try await member.nextLine() == "ready") }
        try #require(try await fleet.members[0].answer(to: "migrate") == "migrated")
        try await fleet.signIn()
        try await body(fleet)
    }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    private func member(_ name: String) throws -> FleetProcess {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let worker = tests.deletingLastPathComponent().appendingPathComponent("SessionWorker").path
        let namespace = "\(site.name)-\((Int(name) ?? 0) % 4 + 1)"
        return try FleetProcess(name, [worker, site.database, name, "fleet"], in: namespace)
    }

    // MARK: Members

    /// Lets the tokens expire, and all members ask for new ones.
    ///
    /// - Parameter moment: The moment at which the proxy holds the first refresh: `arrival`, `answer`, or `nil`.
    func beginRotation(holding moment: String? = nil) async throws {
        offset += 3600
        if let moment { proxy.send("hold \(moment)") }
        try await sync()
        events = []
        for member in members { member.send("tokens \(offset)") }
    }

    /// Signs in and saves the tokens with a member, as an app does when a session is lost.
    func signIn(with member: FleetProcess? = nil) async throws {
        let member = member ?? members[0]
        proxy.send("sign-in")
        let line = try await event("signed-in")
        current = line[1]
        try #require(try await member.answer(to: "save \(line[2])") == "saved")
    }

    /// Asks members for their tokens again, which needs no refresh.
    func expectCurrentTokens(from members: [FleetProcess]) async throws {
        for member in members { member.send("tokens \(offset)") }
        for member in members { #expect(try await member.nextLine() == "tokens \(current)") }
    }

    /// Starts new processes in place of those that were killed.
    func replace(_ killed: [FleetProcess]) async throws {
        let new = try killed.map { try member($0.name) }
        members.removeAll { member in killed.contains { $0 === member } }
        members += new
        for member in new { try #require(try await member.nextLine() == "ready") }
        try await expectCurrentTokens(from: new)
    }

    /// Sets the token that all members have received from the current refresh.
    func setCurrent(_ fingerprint: String) { current = fingerprint }

    // MARK: Proxy

    /// Waits for the next event of a kind.
    ///
    /// - Returns: The words of its line.
    func event(_ kind: String) async throws -> [String] {
        while true {
            let words = try await proxy.nextLine().split(separator: " ").map(String.init)
            events.append(words)
            if words[0] == kind { return words }
        }
    }

    /// Waits for the next event of a kind.
    ///
    /// - Returns: The member that caused it.
    func member(of kind: String) async throws -> FleetProcess {
        let name = try await event(kind)[1]
        return try #require(members.first { $0.name == name })
    }

    /// Lets the held request or response continue.
    func continueHeld() { proxy.send("continue") }

    /// Closes the connection of the held request or response.
    func dropHeld() { proxy.send("drop") }

    /// Waits until the proxy has reported everything that happened so far.
    func sync() async throws {
        syncs += 1
        proxy.send("sync \(syncs)")
        while try await event("sync")[1] != "\(syncs)" {}
    }

    /// The refreshes for which Glewlwyd has issued tokens since the current rotation began.
    var issued: [(member: String, fingerprint: String)] {
        events.filter { $0[0] == "answered" && $0[2] == "200" }.map { ($0[1], $0[3]) }
    }

    /// The number of refreshes that Glewlwyd has refused since the current rotation began.
    var refused: Int { events.count { $0[0] == "answered" && $0[2] != "200" } }
}
#endif
