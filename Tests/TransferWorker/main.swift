import Foundation
import Sallyport

// One of several processes that make the transfers of a folder one after the other; the tests start it and kill it.
//
//     TransferWorker FOLDER     makes the transfers until all have ended, and says so
let arguments = CommandLine.arguments
guard arguments.count == 2 else { exit(64) }
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let queue = try TransferQueue(folder: URL(fileURLWithPath: arguments[1]), client: HttpClient.createClient())
say("ready")
try await queue.runUntilEmpty()
say("done")
