/// The cases of the conformance suite that `URLSessionTransport` fails on Linux, each with the defect that causes it.
enum KnownDefects {
    #if os(Linux)
    /// Cases in which FoundationNetworking ends the process, so that they are not run in this one.
    static let traps: [String: String] = [
        "A connection closed within the head is lost": noResponse,
        "A response with trailers is read to its end": noResponse,
        "The response's trailers are there after its body, and not among its headers": noResponse,
    ]

    static let failures: [String: String] = [
        "The target /a//b/./c?x=/?y arrives untouched":
            "libcurl removes dot segments (CURLOPT_PATH_AS_IS is not set)",
        "Repeated fields of any other name stay apart, in order": "HTTPURLResponse joins repeated fields",
        "The lines of a head may end with LF alone":
            "FoundationNetworking refuses a head whose lines end with LF alone",
        "A value in Latin-1 spoils neither the other fields nor the body":
            "FoundationNetworking decodes heads as UTF-8 and gives up on other bytes",
        "Bytes that follow a response in one burst are not the beginning of the next":
            "libcurl takes what is left over on a connection for the next response",
        "A range is asked for as it is, not compressed": decoded,
        "A GET may have a body": "FoundationNetworking refuses a GET with a body",
        "A stream of unknown length is sent chunked": spooled,
        "A stream leaves while it is produced": spooled,
        "Cancelled while the producer is silent after the head, a call ends and its connection is closed": spooled,
        "After an early response, the connection is closed and the producer left alone": spooled,
        "A server that pauses brings the producer to a halt": spooled,
        "With Expect: 100-continue, a 417 is the response, and the body stays":
            "libcurl sends the request again by itself after a 417",
        "A coding that is not supported is left to an app that asks for it itself": decoded,
        "Without decoding, nothing is asked for and the bytes are left as they are": decoded,
        "A gzip body cut short cannot be decoded, though its length is right":
            "libcurl does not notice that a compressed body ends early",
        "The request's trailers are sent after its body": noTrailers,
        "Trailers that cannot be had fail the call, and are told": noTrailers,
        "A TLS handshake that nobody answers is a timeout": noPhases,
        "Waiting for a connection for too long is a timeout, and is told as such": noPhases,
        "An idle connection is closed after its time": "URLSession has no setting for the life of idle connections",
        "A PUT with its body is sent again too":
            "FoundationNetworking cannot rewind a body that libcurl sends again",
        "A POST on a connection that proves stale is lost, and not sent twice": replayed,
        "A body that cannot be produced twice is not sent twice": replayed,
        "The response tells the version of HTTP": noMetrics,
        "The response tells the peer's address": noMetrics,
        "The response tells whether its connection is reused, and how long a new one took": noMetrics,
        "An address given for a host is used, and the host's name kept": "URLSession takes no addresses for hosts",
        "A reader that pauses brings the server's sending to a halt":
            "suspend() loses bytes of the body, so that nothing slows the server",
        "A certificate of a given authority is accepted": noAuthority,
        "An authority may be given as a file": noAuthority,
        "A certificate is checked against the host's name": noAuthority,
        "A given authority replaces all others": noAuthority,
        "A certificate for another host is refused, and nothing is sent": noAuthority,
        "A certificate for an address is not one for a name that leads there, and nothing is sent": noAuthority,
        "A client certificate is shown to a server that asks for one": noAuthority,
        "Without the client certificate that a server demands, the call fails in TLS": noAuthority,
        "TLS 1.2 is spoken with a server that has nothing newer": noAuthority,
        "TLS 1.1 is not spoken": noAuthority,
        "TLS 1.2 is not spoken where 1.3 is asked for": noAuthority,
        "Connections over TLS are used again": noAuthority,
        "An unclean end of TLS after a whole response does no harm": noAuthority,
        "An unclean end of TLS in a body that lasts until the end is an error": noAuthority,
        "A clean end of TLS ends a body that lasts until the end": noAuthority,
    ]

    private static let noResponse = "FoundationNetworking traps: \"Transfer completed, but there's no response\""
    private static let spooled = "URLSession takes no body while it is produced; it is written to a file first"
    private static let decoded = "libcurl decodes every coding that it knows, and fails on those that it does not"
    private static let noTrailers = "URLSession cannot send trailers"
    private static let noPhases = "URLSession does not tell in which phase an exchange is before its head comes"
    private static let replayed = "libcurl sends any request again when a kept connection was closed"
    private static let noMetrics = "FoundationNetworking collects no metrics"
    private static let noAuthority = "FoundationNetworking takes no certificate authorities or client certificates"
    #else
    static let traps: [String: String] = [:]
    static let failures: [String: String] = [:]
    #endif
}
