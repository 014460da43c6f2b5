/// A client in a case, by the name that its row has.
package struct Contender: Sendable {
    package enum Program: String, Sendable {
        case sallyport, libcurl
        case asyncHTTPClient = "async-http-client"
        case urlSession = "url-session"
        case wrk, h2load
        /// The command lines.
        case sallyportCommand, curlCommand
    }

    package let name: String
    package let program: Program
    package let work: Work
    /// Who its costs are compared with; one that is compared with nobody has no ratio.
    package let peer: String?
    /// In how many rounds it takes part: the slow ones in few.
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

/// The clients that stand beside Sallyport and libcurl.
package enum Peer: Sendable {
    case asyncHTTPClient, urlSession, wrk, h2load
    /// libcurl with more room for what it receives than it has by itself.
    case libcurlWithLargeBuffer

    func contender(for work: Work) -> Contender {
        switch self {
        case .asyncHTTPClient: Contender("AsyncHTTPClient", .asyncHTTPClient, work, rounds: 3)
        case .urlSession: Contender("URLSession", .urlSession, work.with(calls: max(work.calls / 10, 1)), rounds: 3)
        case .wrk: Contender("wrk", .wrk, work, rounds: 3)
        case .h2load: Contender("h2load", .h2load, work, rounds: 3)
        case .libcurlWithLargeBuffer:
            Contender("libcurl, 512 KiB buffer", .libcurl, work.with("buffer=524288"), rounds: 3)
        }
    }
}
