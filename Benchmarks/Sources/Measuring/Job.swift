/// What a client is told to do, by its command line: `CASE URL CALLS [TASKS] [OPTION=VALUE …]`.
package struct Job: Sendable {
    package enum Case: String, Sendable, CaseIterable {
        /// Small GETs on connections that are kept.
        case get
        /// Small GETs, each on a connection of its own.
        case connect
        /// One large GET, whose body is read in chunks and dropped.
        case download
        /// One large POST, whose body is produced in chunks.
        case upload
        /// GETs that the server holds until all of them are there.
        case hold
    }

    package let kind: Case
    package let url: String
    /// Calls to make; for ``Case/upload``, the number of bytes.
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

    /// The file of the authority that the servers' certificates come from.
    package var authority: String? { options["ca"] }

    /// Many calls to the servers of many names share out their calls among them.
    package var hosts: Int { options["hosts"].flatMap(Int.init) ?? 1 }
}

package struct Usage: Error, CustomStringConvertible {
    let text: String
    package var description: String { text }
}

extension Job {
    /// The URL of one of the calls: the n-th host of 127.0.0.0/8 in place of the first.
    package func url(at number: Int) -> String {
        guard hosts > 1 else { return url }
        let host = number % hosts + 1
        return url.replacing("127.0.0.1", with: "127.0.\(host / 250).\(host % 250 + 1)")
    }
}

/// A server answered something else.
package struct Unexpected: Error {
    let what: String

    package init(what: String) { self.what = what }
}
