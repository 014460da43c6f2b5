import Foundation
import Sallyport
import SallyportJourney
import SallyportStorage
import SallyportOAuth
import SessionSupport

// A process that shares a file with tokens or a session with others. The tests start it, write to its standard input and kill it.
//
//     SessionWorker FILE PORT calls     for each line "OFFSET COUNT" sends requests, and prints the number of each status
//     SessionWorker FILE PORT refresh   refreshes repeatedly, and prints a line for each refresh
//     SessionWorker FILE PORT sign-in   signs in with a tree and obtains tokens, repeatedly
//     SessionWorker FILE PORT device    registers this device, with its files in the folder FILE, and authenticates it repeatedly
//     SessionWorker FILE PORT implicit  authenticates the users who are registered on this device implicitly, repeatedly
//     SessionWorker FILE PORT reset     resets this device and registers it again, repeatedly
//     SessionWorker URL NAME fleet      shares a session through a database, as FleetMember describes
let arguments = CommandLine.arguments
guard arguments.count == 4 else { exit(64) }
func printLine(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

#if PostgreSQL && os(Linux)
if arguments[3] == "fleet" {
    var member = try FleetMember(databaseAt: arguments[1], name: arguments[2])
    await member.run()
    exit(0)
}
#endif

guard let port = Int(arguments[2]) else { exit(64) }

if arguments[3] == "sign-in" {
    printLine("ready")
    let journey = try TreeSignIn.journey(storedIn: URL(fileURLWithPath: arguments[1]), port: port)
    while true {
        try await TreeSignIn.signIn(with: journey)
        _ = try await journey.oauthSession.tokens()
    }
}

if ["device", "implicit", "reset"].contains(arguments[3]) {
    printLine("ready")
    let device = DeviceInstallation.identity(in: URL(fileURLWithPath: arguments[1]), port: port)
    while true {
        switch arguments[3] {
        case "implicit":
            for user in try await device.registeredUsers() {
                try await device.implicitlyAuthenticate(user: user, scopes: ["greeting"])
            }
        case "reset":
            try await device.reset()
            try await device.authenticateDevice(scopes: [])
        default: try await device.authenticateDevice(scopes: [])
        }
    }
}

let clock = WorkerClock()
let client = HttpClient.createClient()
let session = OAuthSession(
    refresher: FormRefresher(client, at: "http://127.0.0.1:\(port)/token", now: clock.now),
    store: FileTokenStore(at: URL(fileURLWithPath: arguments[1])),
    now: clock.now
)
let api = client.authorized(by: session, for: "http://127.0.0.1:\(port)")

printLine("ready")
if arguments[3] == "refresh" {
    while true {
        try await session.refresh()
        printLine("refreshed")
    }
}
while let line = readLine() {
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    clock.set(offset: numbers[0])
    printLine(await responses(of: api, at: "http://127.0.0.1:\(port)/me", count: Int(numbers[1])))
}
try await session.finish()

/// A clock that can be set forward.
final class WorkerClock: Sendable {
    private let offset = Locked(0.0)

    /// Returns the time, including the offset.
    var now: @Sendable () -> Date { { [self] in Date() + offset.withLock { $0 } } }

    /// Sets the offset from the real time, in seconds.
    func set(offset: TimeInterval) { self.offset.withLock { $0 = offset } }
}

/// Sends requests concurrently, and returns the number of each status and error.
func responses(of api: HttpClient, at url: String, count: Int) async -> String {
    await withTaskGroup(of: String.self) { group in
        for _ in 0..<count {
            group.addTask {
                do {
                    return "\(try await api.request { request in request.url = url }.status.code)"
                } catch {
                    return "\(error)"
                }
            }
        }
        var counts: [String: Int] = [:]
        for await answer in group { counts[answer, default: 0] += 1 }
        return counts.map { "\($0.value) × \($0.key)" }.sorted().joined(separator: ", ")
    }
}
