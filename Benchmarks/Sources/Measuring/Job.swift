/// The work of a client, given by its command line: `CASE URL CALLS [TASKS] [OPTION=VALUE …]`.
package struct Job: Sendable {
    package enum Case: String, Sendable, CaseIterable {
        /// Small GETs on persistent connections.
        case get
        /// Small GETs, each on a new connection.
        case connect
        /// One large GET, whose body is read in chunks and discarded.
        case download
        /// One large POST, whose body is produced in chunks.
        case upload
        /// GETs that the server holds until all of them have arrived.
        case hold
        /// Encryption in memory.
        case seal
        /// Decryption in memory.
        case open
    }

    package let kind: Case
    package let url: String
    /// The number of calls, or the number of bytes for ``Case/upload``, ``Case/seal`` and ``Case/open``.
    package let calls: Int
    package let tasks: Int
    package let options: [String: String]

    package init(arguments: [String] = CommandLine.arguments) throws {
        guard arguments.count >= 4, let kind = Case(rawValue: arguments[1]), let calls = Int(arguments[3]) else {
            throw Usage(text: "usage: \(arguments[0]) CASE URL CALLS [TASKS] [OPTION=VALUE …]")
        }
        self.kind = kind
        url = arguments[2]
        self.calls = calls
        tasks = arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1
        options = Dictionary(
            arguments.dropFirst(5).map { argument in
                let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            },
            uniquingKeysWith: { $1 }
        )
    }

    /// The certificate file of the authority that issued the servers' certificates.
    package var authority: String? { options["ca"] }

    /// The body of small POSTs, in JSON.
    package static let json = #"{"account":"NL91ABNA0417164300","amount":1250,"currency":"EUR"}"#

    /// The number of hosts that the calls are distributed among.
    package var hosts: Int { options["hosts"].flatMap(Int.init) ?? 1 }
}

package struct Usage: Error, CustomStringConvertible {
    let text: String
    package var description: String { text }
}

extension Job {
    /// Returns the URL of a call, with the n-th host of 127.0.0.0/8 instead of the first.
    package func url(at number: Int) -> String {
        guard hosts > 1 else { return url }
        let host = number % hosts + 1
        return url.replacing("127.0.0.1", with: "127.0.\(host / 250).\(host % 250 + 1)")
    }
}

/// An error for an unexpected response.
package struct Unexpected: Error {
    let what: String

    package init(what: String) { self.what = what }
}
