import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let headers: [ConformanceCase] = [
        ConformanceCase("Repeated Set-Cookie fields stay separate") { context in
            let response =
                "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT\r\n"
                + "Set-Cookie: b=2; Path=/\r\nContent-Length: 0\r\n\r\n"
            try await context.serve(.answer(response)) { bench in
                let answer = try await bench.answer()
                #expect(
                    answer.values("set-cookie") == ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT", "b=2; Path=/"]
                )
            }
        },
        ConformanceCase("Repeated fields of any other name stay separate and in order") { context in
            let response = "HTTP/1.1 200 OK\r\nX-A: 1, 2\r\nX-B: 0\r\nX-A: 3\r\nContent-Length: 0\r\n\r\n"
            try await context.serve(.answer(response)) { bench in
                let answer = try await bench.answer()
                #expect(answer.values("X-A") == ["1, 2", "3"])
            }
        },
        ConformanceCase("Field names are case-insensitive") { context in
            let response = "HTTP/1.1 200 OK\r\nx-lower: 1\r\nX-UPPER: 2\r\ncontent-length: 2\r\n\r\nok"
            try await context.serve(.answer(response)) { bench in
                let answer = try await bench.answer()
                #expect(answer["X-Lower"] == "1")
                #expect(answer["x-upper"] == "2")
                #expect(answer.text == "ok")
            }
        },
        ConformanceCase("Whitespace around a value is removed") { context in
            let response = "HTTP/1.1 200 OK\r\nX-Padded: \t a b \t \r\nX-Empty:\r\nContent-Length: 0\r\n\r\n"
            try await context.serve(.answer(response)) { bench in
                let answer = try await bench.answer()
                #expect(answer["X-Padded"] == "a b")
                #expect(answer["X-Empty"] == "")
            }
        },
        ConformanceCase("A UTF-8 value is received unchanged") { context in
            try await context.serve(.answer("HTTP/1.1 200 OK\r\nX-Word: café ✓\r\nContent-Length: 0\r\n\r\n")) {
                let answer = try await $0.answer()
                #expect(answer["X-Word"] == "café ✓")
            }
        },
        ConformanceCase("A Latin-1 value does not affect other fields or the body") { context in
            let start = Array("HTTP/1.1 200 OK\r\nX-Word: caf".utf8)
            let end = Array("\r\nX-Next: 1\r\nContent-Length: 2\r\n\r\nok".utf8)
            try await context.serve([.receiveRequest, .sendBytes(start + [0xE9] + end)]) { bench in
                let answer = try await bench.answer()
                #expect(answer["X-Word"]?.hasPrefix("caf") == true)
                #expect(answer["X-Next"] == "1")
                #expect(answer.text == "ok")
            }
        },
        ConformanceCase("The request's fields are sent, including repeated ones") { context in
            try await context.serve(.answer()) { bench in
                var fields = HTTPFields()
                fields[.accept] = "text/plain"
                fields[.userAgent] = "conformance"
                fields.append(HTTPField(name: try #require(.init("X-Many")), value: "1"))
                fields.append(HTTPField(name: try #require(.init("X-Many")), value: "2"))
                _ = try await bench.answer(bench.request(fields: fields))
                let request = try #require(bench.server.requests.first)
                #expect(request["accept"] == ["text/plain"])
                #expect(request["user-agent"] == ["conformance"])
                #expect(request["x-many"].joined(separator: ",").filter { $0 != " " } == "1,2")
            }
        },
        ConformanceCase("An empty value is sent as empty") { context in
            try await context.serve(.answer()) { bench in
                let name = try #require(HTTPField.Name("X-Empty"))
                _ = try await bench.answer(bench.request(fields: [name: ""]))
                #expect(bench.server.requests.first?["X-Empty"] == [""])
            }
        },
        ConformanceCase("A UTF-8 value is sent unchanged") { context in
            try await context.serve(.answer()) { bench in
                let name = try #require(HTTPField.Name("X-Word"))
                _ = try await bench.answer(bench.request(fields: [name: "café ✓"]))
                #expect(bench.server.requests.first?["X-Word"] == ["café ✓"])
            }
        },
        ConformanceCase("A transport neither stores nor sends cookies") { context in
            let response = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n"
            try await context.serve(.answers(2, response)) { bench in
                _ = try await bench.answer()
                _ = try await bench.answer()
                #expect(bench.server.requests.count == 2)
                #expect(bench.server.requests.allSatisfy { $0["Cookie"].isEmpty })
            }
        },
        ConformanceCase("A Cookie field of the request is sent") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(fields: [.cookie: "a=1; b=2"]))
                #expect(bench.server.requests.first?["Cookie"] == ["a=1; b=2"])
            }
        },
        ConformanceCase("An Authorization field is sent unchanged, and a 401 is returned as the response") { context in
            let refusal =
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
            try await context.serve(.answer(refusal)) { bench in
                let answer = try await bench.answer(bench.request(fields: [.authorization: "Bearer abc"]))
                #expect(answer.status == 401)
                #expect(answer.text == "no")
                #expect(bench.server.requests.map { $0["Authorization"] } == [["Bearer abc"]])
            }
        },
        ConformanceCase("A redirect is returned as the response and not followed") { context in
            let redirect = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 5\r\n\r\nmoved"
            try await context.serve(.answers(2, redirect)) { bench in
                let answer = try await bench.answer()
                #expect(answer.status == 302)
                #expect(answer["Location"] == "/elsewhere")
                #expect(answer.text == "moved")
                #expect(bench.server.requests.count == 1)
            }
        },
    ]
}
