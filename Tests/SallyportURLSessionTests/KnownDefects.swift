/// The cases of the conformance suite that `URLSessionTransport` fails on Linux, each with the defect that causes it.
enum KnownDefects {
    #if os(Linux)
    /// Cases in which FoundationNetworking ends the process, so that they are not run in this one.
    static let traps: [String: String] = [
        "A connection closed within the head fails the call": noResponse,
        "A connection is reused after a response with trailers": noResponse,
        "The response's trailers are available after its body and not among its headers": noResponse,
    ]

    static let failures: [String: String] = [
        "The target /a//b/./c?x=/?y is sent unchanged":
            "libcurl removes dot segments (CURLOPT_PATH_AS_IS is not set)",
        "Repeated fields of any other name stay separate and in order": "HTTPURLResponse joins repeated fields",
        "The lines of a head can end with LF alone":
            "FoundationNetworking refuses a head whose lines end with LF alone",
        "A Latin-1 value does not affect other fields or the body":
            "FoundationNetworking decodes heads as UTF-8 and fails on other bytes",
        "Excess bytes in the burst of a response are not read as the next response":
            "libcurl reads excess bytes on a connection as the next response",
        "A range request does not accept compression": decoded,
        "A GET can have a body": "FoundationNetworking refuses a GET with a body",
        "A stream of unknown length is sent chunked": spooled,
        "A stream is sent while it is produced": spooled,
        "A call cancelled while the producer is silent after the head ends, and its connection is closed": spooled,
        "After an early response the connection is closed without waiting for the producer": spooled,
        "A paused server stops the producer of the body": spooled,
        "With Expect: 100-continue, a 417 is the response, and the body is not sent":
            "libcurl sends the request again by itself after a 417",
        "An unsupported coding requested by the app is passed through": decoded,
        "A body with a label that is not a coding is passed on as it was sent": decoded,
        "With decoding disabled, no coding is requested and the bytes are unchanged": decoded,
        "A truncated gzip body with a correct length fails":
            "libcurl does not notice that a compressed body ends early",
        "The request's trailers are sent after its body": noTrailers,
        "An error thrown for the trailers fails the call and is the underlying error": noTrailers,
        "An unanswered TLS handshake is a timeout": noPhases,
        "A call that waits too long for a connection times out in the queue phase": noPhases,
        "An idle connection is closed after its timeout":
            "URLSession has no setting for the lifetime of idle connections",
        "A PUT with a body on a stale connection is sent again":
            "FoundationNetworking cannot rewind a body that libcurl sends again",
        "A POST on a stale connection fails and is not sent again": replayed,
        "A one-shot body on a stale connection is not sent again": replayed,
        "The response states the HTTP version": noMetrics,
        "The response states the peer's address": noMetrics,
        "The response states whether its connection was reused, and the times of a new one": noMetrics,
        "An address override is used, and the Host field is unchanged": "URLSession does not support address overrides",
        "A paused reader stops the server":
            "suspend() loses bytes of the body, so the transport does not use it",
        "A certificate of a configured authority is accepted": noAuthority,
        "An authority can be configured as a file": noAuthority,
        "A certificate for the host's name is accepted": noAuthority,
        "A configured authority replaces all others": noAuthority,
        "A certificate for another host is refused, and nothing is sent": noAuthority,
        "A certificate for an address is refused for a name of that address, and nothing is sent": noAuthority,
        "A client certificate is sent to a server that requests one": noAuthority,
        "A call without a required client certificate fails": noAuthority,
        "TLS 1.2 is used with a server without a newer version": noAuthority,
        "TLS 1.1 is refused": noAuthority,
        "TLS 1.2 is refused if 1.3 is required": noAuthority,
        "Connections over TLS are reused": noAuthority,
        "An unclean end of TLS after a complete response is ignored": noAuthority,
        "An unclean end of TLS in a body without a length is an error": noAuthority,
        "A clean end of TLS completes a body without a length": noAuthority,
    ]

    private static let noResponse = "FoundationNetworking traps: \"Transfer completed, but there's no response\""
    private static let spooled =
        "URLSession cannot send a body while it is produced; the body is written to a file first"
    private static let decoded = "libcurl decodes every coding that it supports, and fails on others"
    private static let noTrailers = "URLSession cannot send trailers"
    private static let noPhases = "URLSession does not report the phase of an exchange before the response head"
    private static let replayed = "libcurl sends any request again when a reused connection was closed"
    private static let noMetrics = "FoundationNetworking collects no metrics"
    private static let noAuthority =
        "FoundationNetworking supports neither custom certificate authorities nor client certificates"
    #else
    static let traps: [String: String] = [:]
    static let failures: [String: String] = [:]
    #endif
}
