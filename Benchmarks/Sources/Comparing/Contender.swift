/// A client in a case, with the name of its row.
package struct Contender: Sendable {
    package enum Program: String, Sendable {
        case sallyport, libcurl
        /// Sallyport with resource calls and payload encryption, which `sallyport` does not link.
        case resource
        case asyncHTTPClient = "async-http-client"
        case urlSession = "url-session"
        /// The least that a client on SwiftNIO needs.
        case prototype
        case wrk, h2load
        /// The command-line tools.
        case sallyportCommand, curlCommand
    }

    package let name: String
    package let program: Program
    package let work: Work
    /// The client that the costs are compared with, or `nil` for a client without a ratio.
    package let peer: String?
    /// The number of rounds, which is small for slow clients.
    package let rounds: Int

    package init(
        _ name: String,
        _ program: Program,
        _ work: Work,
        peer: String? = "libcurl",
        rounds: Int = .max
    ) {
        self.name = name
        self.program = program
        self.work = work
        self.peer = peer
        self.rounds = rounds
    }
}

/// The clients other than Sallyport and libcurl.
package enum Peer: Sendable {
    case asyncHTTPClient, urlSession, prototype, wrk, h2load
    /// libcurl with a larger receive buffer than the default.
    case libcurlWithLargeBuffer

    /// Returns the client as a contender of a case with several amounts of work.
    func contender(for work: Work, among amount: String) -> Contender {
        let contender = contender(for: work)
        let peer = contender.peer.map { "\($0), \(amount)" }
        return Contender("\(contender.name), \(amount)", contender.program, work, peer: peer, rounds: contender.rounds)
    }

    func contender(for work: Work) -> Contender {
        switch self {
        case .asyncHTTPClient: Contender("AsyncHTTPClient", .asyncHTTPClient, work, rounds: 3)
        case .urlSession: Contender("URLSession", .urlSession, work.with(calls: max(work.calls / 10, 1)), rounds: 3)
        case .prototype: Contender("floor", .prototype, work)
        case .wrk: Contender("wrk", .wrk, work, rounds: 3)
        case .h2load: Contender("h2load", .h2load, work, rounds: 3)
        case .libcurlWithLargeBuffer:
            Contender("libcurl, 512 KiB buffer", .libcurl, work.with("buffer=524288"), rounds: 3)
        }
    }
}
