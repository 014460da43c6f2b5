import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage

/// The secrets that have come by: what was given to the test, and what a server made up.
final class SecretsSeen: Sendable {
    private static let members = ["access_token", "refresh_token", "id_token", "device_code", "client_secret", "code"]

    private let values: Locked<Set<String>>

    init(_ known: [String]) { values = Locked(Set(known)) }

    var all: Set<String> { values.withLock { $0 } }

    /// Adds what a response gives: tokens and codes in its body, its cookies, and the code in its `Location`.
    func collect(from response: HttpResponse) {
        var found: [String] = []
        if let body = response.body, let members = try? JSONDecoder().decode([String: JsonValue].self, from: body) {
            found += Self.members.compactMap { members[$0]?.string }
        }
        found += response.getCookies().map(\.value)
        if let location = response.getHeader(name: "Location") {
            let items = URLComponents(string: location)?.queryItems ?? []
            found += items.filter { $0.name == "code" }.compactMap(\.value)
        }
        values.withLock { $0.formUnion(found.filter { $0.utf8.count >= 8 }) }
    }

    /// The secrets that stand in a text, whole or the signature of one.
    func shown(in text: String) -> [String] {
        all.filter { secret in
            text.contains(secret) || secret.split(separator: ".").contains { $0.utf8.count >= 24 && text.contains($0) }
        }
    }
}
