import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage
import SessionSupport

// One of several processes that share a file of tokens; the tests start it, talk with it and kill it.
//
//     SessionWorker FILE PORT calls     for each line "OFFSET COUNT" makes calls, and prints how many were answered
//     SessionWorker FILE PORT refresh   refreshes again and again, and prints a line for each
let arguments = CommandLine.arguments
guard arguments.count == 4, let port = Int(arguments[2]) else { exit(64) }
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let clock = WorkerClock()
let client = HttpClient.createClient()
let session = OAuthSession(
    refresher: FormRefresher(client, at: "http://127.0.0.1:\(port)/token", now: clock.now),
    store: FileTokenStore(at: URL(fileURLWithPath: arguments[1])),
    now: clock.now
)
let api = client.authorized(by: session, for: "http://127.0.0.1:\(port)")

say("ready")
if arguments[3] == "refresh" {
    while true {
        try await session.refresh()
        say("refreshed")
    }
}
while let line = readLine() {
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    clock.set(offset: numbers[0])
    say(await answers(of: api, at: "http://127.0.0.1:\(port)/me", count: Int(numbers[1])))
}
await session.finish()
