import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let targets: [ConformanceCase] = [
        "/search?q=a%20b&q=c+d&empty=&r=%C3%A9",
        "/a%2Fb/%7Euser/;v=1,2/:@!$&'()*",
        "/a//b/./c?x=/?y",
        "/?",
    ].map { target in
        ConformanceCase("The target \(target) is sent unchanged") { context in
            try await context.serve(.answer()) { bench in
                let answer = try await bench.answer(target)
                #expect(answer.status == 200)
                #expect(bench.server.requests.first?.target == target)
            }
        }
    }
}
