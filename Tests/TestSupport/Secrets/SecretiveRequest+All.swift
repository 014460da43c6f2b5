import Foundation

extension SecretiveRequest {
    /// Requests with at least 300 secrets in all, in each kind of credentials, header field, cookie, parameter and body.
    public static let all: [SecretiveRequest] = {
        var canaries = CanaryMaker()
        return bodies.enumerated().map { index, body in
            canaries.reset()
            let content = body.make(&canaries)
            let fields = fields(&canaries, credentials: credentials[index % credentials.count](&canaries))
            let query = query(&canaries)
            return SecretiveRequest(
                name: body.name,
                query: query,
                fields: fields,
                type: body.type,
                body: content,
                canaries: canaries.made
            )
        }
    }()

    // MARK: Header and URL

    private static let credentials: [@Sendable (inout CanaryMaker) -> String] = [
        { "Bearer \($0.next())" },
        { canaries in
            let password = canaries.next(punctuated: true)
            return "Basic \(canaries.add(Data("ada:\(password)".utf8).base64EncodedString()))"
        },
        { #"Digest username="ada", realm="r", nonce="n", uri="/", response="\#($0.next(32))", qop=auth"# },
        { "DPoP \($0.next())" }, { "ApiKey \($0.next(punctuated: true))" },
        { "AWS4-HMAC-SHA256 Credential=\($0.next()), SignedHeaders=host, Signature=\($0.next(64))" }, { $0.next() },
        { #"OAuth oauth_token="\#($0.next())", oauth_signature="\#($0.next())""# },
        { "Bearer \($0.token())" },
    ]

    private static func fields(_ canaries: inout CanaryMaker, credentials: String) -> [(name: String, value: String)] {
        // The copy is before the secret, so that the order of fields makes no difference.
        let (key, upstream) = (canaries.next(), canaries.next())
        return [
            ("X-Copy", "\(marker) \(key)"), ("Authorization", credentials), ("X-Api-Key", key),
            ("X-Auth-Token", canaries.next(punctuated: true)), ("X-Upstream", "Bearer \(upstream)"),
            ("Cookie", "lang=en; sid=\(canaries.next()); other=\(canaries.next())"),
            ("Referer", "https://a.example/?page=\(marker)&code=\(canaries.next())"),
            ("X-Context", #"{"page": "\#(marker)", "apiKey": "\#(canaries.next())"}"#),
        ]
    }

    private static func query(_ canaries: inout CanaryMaker) -> String {
        let inner = escaped("https://a.example/cb?x=1&token=\(canaries.next())")
        let claims = escaped(#"{"password": "\#(canaries.next())"}"#)
        return
            "page=\(marker)&access_token=\(canaries.next())&client%5Fsecret=\(escaped(canaries.next(punctuated: true)))"
            + "&next=\(escaped(inner))&claims=\(claims)&sig=\(canaries.next())"
    }

    // MARK: Bodies

    private struct Body: Sendable {
        let name: String
        let type: String
        let make: @Sendable (inout CanaryMaker) -> [UInt8]

        init(_ name: String, _ type: String, _ make: @escaping @Sendable (inout CanaryMaker) -> String) {
            (self.name, self.type) = (name, type)
            self.make = { Array(make(&$0).utf8) }
        }

        init(_ name: String, _ type: String, bytes make: @escaping @Sendable (inout CanaryMaker) -> [UInt8]) {
            (self.name, self.type, self.make) = (name, type, make)
        }
    }

    private static let names = [
        "password", "refresh_token", "clientSecret", "api-key", "sessionId", "code_verifier", "assertion", "otpCode",
        "private_key", "security_answer",
    ]

    /// Returns a line or element for each name of a secret.
    private static func each(
        _ canaries: inout CanaryMaker,
        punctuated: Bool = false,
        separator: String,
        _ write: (_ name: String, _ value: String) -> String
    ) -> String {
        names.map { write($0, canaries.next(punctuated: punctuated)) }.joined(separator: separator)
    }

    private static func json(_ canaries: inout CanaryMaker) -> String {
        let members = each(&canaries, separator: ", ") { #""\#($0)": "\#($1)""# }
        return #"{"user": {"name": "\#(marker)", "all": [{\#(members)}]}, "credentials": {"a": "\#(canaries.next())"}}"#
    }

    private static let bodies: [Body] = [
        Body("a form", "application/x-www-form-urlencoded") { canaries in
            "page=\(marker)&" + each(&canaries, punctuated: true, separator: "&") { "\($0)=\(escaped($1))" }
        },
        Body("nested encodings", "application/x-www-form-urlencoded") { canaries in
            each(&canaries, separator: "&") { name, value in
                "goto=" + escaped("https://a.example/?next=" + escaped("/cb?\(name)=\(value)&page=1"))
            }
        },
        Body("JSON", "application/json") { json(&$0) },
        Body("JSON in strings", "application/json") { canaries in
            let inner = json(&canaries).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return #"{"text": "\#(inner)", "log": "the call failed: token=\#(canaries.next()), page=1"}"#
        },
        Body(
            "JSON in UTF-16",
            "application/json",
            bytes: { canaries in
                [0xFF, 0xFE] + json(&canaries).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            }
        ),
        Body("GraphQL", "application/json") { canaries in
            let arguments = each(&canaries, separator: ", ") { name, value in
                #"\#(name.replacing("-", with: "_")): \"\#(value)\""#
            }
            let variables = each(&canaries, separator: ", ") { #""\#($0)": "\#($1)""# }
            return #"{"query": "mutation { login(\#(arguments)) { id } }", "variables": {\#(variables)}}"#
        },
        Body("a multipart form", "multipart/form-data; boundary=b7") { canaries in
            each(&canaries, punctuated: true, separator: "") { name, value in
                "--b7\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
            } + "--b7--\r\n"
        },
        Body("HTML", "text/html") { canaries in
            "<html><p>\(marker)</p>"
                + each(&canaries, separator: "\n") { "<input type='hidden' name='\($0)' value=\"\($1)\">" }
                + each(&canaries, separator: "\n") { "<textarea name='\($0)'>\($1)</textarea>" }
        },
        Body("YAML", "application/yaml") { canaries in
            "user: \(marker)\n" + each(&canaries, separator: "\n") { "\($0): \($1)" }
                + "\npasswords:\n  - \(canaries.next())\n"
        },
        Body("CSV", "text/csv") { canaries in
            "id,\(names.joined(separator: ","))\n1," + each(&canaries, separator: ",") { $1 } + "\n2,"
                + each(&canaries, separator: ",") { "\"\($1)\"" } + "\n"
        },
        Body("lines with names and values", "text/plain") { canaries in
            each(&canaries, separator: "\n") { "\($0) = \($1)" } + "\n"
                + each(&canaries, separator: "\n") { "\($0): \($1)" }
        },
        Body("XML", "application/xml") { canaries in
            "<a><page>\(marker)</page>" + each(&canaries, separator: "") { "<\($0)>\($1)</\($0)>" } + "</a>"
        },
        Body("keys", "application/json") { canaries in
            let pem = ["EC", "RSA", "ENCRYPTED"].map { kind in
                "-----BEGIN \(kind) PRIVATE KEY-----\\n\(canaries.next(64))\\n\(canaries.next(40))\\n-----END \(kind) PRIVATE KEY-----"
            }
            let members = ["d", "p", "q", "dp", "dq", "qi"].map { #""\#($0)": "\#(canaries.next(43))""# }
            let key = #"{"kty": "RSA", "n": "\#(marker)", \#(members.joined(separator: ", "))}"#
            return #"{"keys": [\#(key)], "text": "\#(pem.joined(separator: "\\n"))", "id": "\#(canaries.token())"}"#
        },
    ]
}
