import Foundation
import SallyportStorage
import SallyportTesting

@testable import Sallyport

/// The values of the first example of RFC 7616.
enum Mufasa {
    static let url = "https://www.example.org/dir/index.html"
    static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

    static func challenge(_ algorithm: String?, qop: String? = "auth, auth-int", more: String = "") -> String {
        let protection = qop.map { "qop=\"\($0)\", " } ?? ""
        let name = algorithm.map { "algorithm=\($0), " } ?? ""
        return
            "Digest realm=\"http-auth@example.org\", \(protection)\(name)nonce=\"\(nonce)\", opaque=\"\(opaque)\"\(more)"
    }

    static var authentication: DigestAuthentication {
        DigestAuthentication(user: "Mufasa", password: "Circle of Life", for: ["https://www.example.org"]) {
            clientNonce
        }
    }
}

extension MockTransport {
    /// Returns a server that answers successive requests with successive responses, and then repeats the last one.
    static func answering(_ answers: MockResponse...) -> MockTransport {
        let count = Locked(0)
        return MockTransport { _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return answers[min(number, answers.count - 1)]
        }
    }

    /// The `Authorization` header of each request.
    var authorizations: [String?] { requests.map { $0.header("Authorization") } }
}

extension MockResponse {
    /// Returns a 401 response with a field for each challenge.
    static func asking(_ challenges: String...) -> MockResponse {
        challenges.reduce(.text("who are you?", status: 401)) { $0.header(.wwwAuthenticate, $1) }
    }
}

extension String {
    /// Returns the value of a parameter in an `Authorization` header, including quotation marks.
    func parameter(_ name: String) -> String? {
        let parts = dropFirst("Digest ".count).components(separatedBy: ", ")
        return parts.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
