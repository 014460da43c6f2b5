import Foundation

extension HttpArchive {
    /// A request and its response.
    public struct Entry: Sendable, Hashable {
        /// The identifier of the ``Page`` to which the entry belongs; `nil` if it belongs to none.
        public var pageref: String?
        /// The time at which the request began; 1970 if it is unknown.
        public var startedDateTime: Date
        /// The duration of the exchange, in milliseconds.
        public var time: Double
        /// The request.
        public var request: Request
        /// The response. If there was none, its status is 0.
        public var response: Response
        /// The durations of the phases.
        public var timings: Timings
        /// The IP address of the server or the proxy.
        public var serverIPAddress: String?
        /// An identifier of the connection, such as its port.
        public var connection: String?
        /// A comment.
        public var comment: String?

        /// Creates an entry.
        public init(
            startedDateTime: Date,
            time: Double,
            request: Request,
            response: Response,
            timings: Timings = Timings(),
            pageref: String? = nil,
            serverIPAddress: String? = nil,
            connection: String? = nil,
            comment: String? = nil
        ) {
            self.startedDateTime = startedDateTime
            self.time = time
            self.request = request
            self.response = response
            self.timings = timings
            self.pageref = pageref
            self.serverIPAddress = serverIPAddress
            self.connection = connection
            self.comment = comment
        }
    }

    /// The durations of the phases of an exchange, in milliseconds; `nil` if a phase did not occur or is unknown.
    public struct Timings: Sendable, Hashable {
        /// The wait for a connection.
        public var blocked: Double?
        /// Name resolution.
        public var dns: Double?
        /// Connecting, including the TLS handshake.
        public var connect: Double?
        /// The TLS handshake, which is a part of ``connect``.
        public var ssl: Double?
        /// Sending the request.
        public var send: Double?
        /// The wait for the response after the request was sent.
        public var wait: Double?
        /// Receiving the response.
        public var receive: Double?

        /// Creates the durations of phases.
        public init(
            blocked: Double? = nil,
            dns: Double? = nil,
            connect: Double? = nil,
            ssl: Double? = nil,
            send: Double? = nil,
            wait: Double? = nil,
            receive: Double? = nil
        ) {
            self.blocked = blocked
            self.dns = dns
            self.connect = connect
            self.ssl = ssl
            self.send = send
            self.wait = wait
            self.receive = receive
        }
    }
}

// MARK: JSON

extension HttpArchive.Entry: Codable {
    private enum CodingKeys: String, CodingKey {
        case pageref, startedDateTime, time, request, response, cache, timings, serverIPAddress, connection, comment
    }

    /// Decodes an entry.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        pageref = container.lenient(.pageref)
        startedDateTime = container.date(.startedDateTime)
        time = container.milliseconds(.time) ?? 0
        request = try container.decode(HttpArchive.Request.self, forKey: .request)
        response = try container.decode(HttpArchive.Response.self, forKey: .response)
        timings = container.lenient(.timings) ?? HttpArchive.Timings()
        serverIPAddress = container.lenient(.serverIPAddress)
        connection = container.lenient(.connection)
        comment = container.lenient(.comment)
    }

    /// Encodes the entry.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(pageref, forKey: .pageref)
        try container.encode(try ArchiveDate.text(startedDateTime), forKey: .startedDateTime)
        try container.encode(time, forKey: .time)
        try container.encode(request, forKey: .request)
        try container.encode(response, forKey: .response)
        try container.encode([String: String](), forKey: .cache)
        try container.encode(timings, forKey: .timings)
        try container.encodeIfPresent(serverIPAddress, forKey: .serverIPAddress)
        try container.encodeIfPresent(connection, forKey: .connection)
        try container.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HttpArchive.Timings: Codable {
    private enum CodingKeys: String, CodingKey {
        case blocked, dns, connect, ssl, send, wait, receive
    }

    /// Decodes the durations. Negative numbers mean that a phase did not occur.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        blocked = container.milliseconds(.blocked)
        dns = container.milliseconds(.dns)
        connect = container.milliseconds(.connect)
        ssl = container.milliseconds(.ssl)
        send = container.milliseconds(.send)
        wait = container.milliseconds(.wait)
        receive = container.milliseconds(.receive)
    }

    /// Encodes the durations, with -1 for phases that did not occur. The last three phases are required, so they are 0 instead.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(blocked ?? -1, forKey: .blocked)
        try container.encode(dns ?? -1, forKey: .dns)
        try container.encode(connect ?? -1, forKey: .connect)
        try container.encode(ssl ?? -1, forKey: .ssl)
        try container.encode(send ?? 0, forKey: .send)
        try container.encode(wait ?? 0, forKey: .wait)
        try container.encode(receive ?? 0, forKey: .receive)
    }
}
