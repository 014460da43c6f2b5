import TestSupport

extension [ScriptStep] {
    /// Takes one request, and answers it.
    static func answer(_ response: String = ok) -> Script {
        [.receiveRequest, .send(response)]
    }

    /// Takes one request, answers it, and ends the connection.
    static func answerAndClose(_ response: String) -> Script {
        [.receiveRequest, .send(response), .close]
    }

    /// Takes so many requests on one connection, and answers each in the same way.
    static func answers(_ count: Int, _ response: String = ok) -> Script {
        [.repeating(.answer(response), times: count)]
    }

    /// A response of two bytes.
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
}
