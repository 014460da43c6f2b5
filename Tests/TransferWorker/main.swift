import Foundation
import Sallyport
import SallyportTransfers

// Runs the queue of a folder until it is empty, as one of several processes that the tests start and kill.
//
// TransferWorker FOLDER     performs all transfers, and then writes a line
let arguments = CommandLine.arguments
guard arguments.count == 2 else { exit(64) }
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let queue = try TransferQueue(folder: URL(fileURLWithPath: arguments[1]), client: HttpClient.createClient())
say("ready")
try await queue.runUntilEmpty()
say("done")
