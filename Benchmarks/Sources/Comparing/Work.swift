/// The work of a client in one run, and its server.
package struct Work: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// The case of the same name in the clients' ``Job``.
        case get, connect, download, upload, hold, seal, open
        /// A command-line tool that is started, makes one call, and exits.
        case start
    }

    package enum Server: String, Sendable {
        /// nginx.
        case plain, tls, http2
        /// The server of this package, which discards bodies and holds requests.
        case sink, sinkTLS
        /// nghttpd, which discards bodies too.
        case sinkHTTP2
        /// Sallyport's gateway, over TLS.
        case gateway
        /// No server, for work in memory.
        case none
    }

    package var kind: Kind
    package var server: Server
    package var path: String
    /// The number of calls in one run, or the number of bytes to upload, encrypt or decrypt.
    package var calls: Int
    /// The number of concurrent calls.
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
