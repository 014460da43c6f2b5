/// What a client is to do in one run of it, and where.
package struct Work: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// What ``Job`` of the clients names the same.
        case get, connect, download, upload, hold
        /// A command line that is started, makes one call, and ends.
        case start
    }

    package enum Server: String, Sendable {
        /// nginx.
        case plain, tls, http2
        /// The server of this package, which drops bodies and holds requests.
        case sink, sinkTLS
        /// nghttpd, which drops bodies too.
        case sinkHTTP2
    }

    package var kind: Kind
    package var server: Server
    package var path: String
    /// Calls in one run; of an upload, the number of bytes.
    package var calls: Int
    /// Calls at a time.
    package var tasks: Int
    package var options: [String]

    package init(
        _ kind: Kind,
        _ server: Server,
        path: String = "/small",
        calls: Int = 1,
        tasks: Int = 1,
        options: [String] = []
    ) {
        self.kind = kind
        self.server = server
        self.path = path
        self.calls = calls
        self.tasks = tasks
        self.options = options
    }

    package func with(_ options: String...) -> Work {
        var work = self
        work.options += options
        return work
    }

    package func with(calls: Int) -> Work {
        var work = self
        work.calls = calls
        return work
    }
}
