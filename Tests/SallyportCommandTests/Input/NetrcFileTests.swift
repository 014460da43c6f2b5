import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct NetrcFileTests {
    private func pair(_ text: String, _ url: String = "https://a.example/x") throws -> String {
        let user = try NetrcFile(parsing: text, path: "netrc").credentials(for: url)
        return "\(user.name):\(user.password ?? "-")"
    }

    @Test(
        arguments: [
            ("machine a.example login ada password s3", "ada:s3"),
            ("machine b login x password y\nmachine A.Example\n\tlogin ada\n\tpassword s3\n", "ada:s3"),
            ("default login d password e machine a.example login ada password s3", "ada:s3"),
            ("machine b login x password y default login d password e", "d:e"),
            ("# machine a.example login no password no\nmachine a.example password s3 account z login ada", "ada:s3"),
            (#"machine a.example login "a b" password "q\"\\\t#""#, "a b:q\"\\\t#"),
            ("macdef init\nmachine a.example login no\n\nmachine a.example login ada password a#b", "ada:a#b"),
            ("machine a.example password s3", ":s3"),
            ("machine a.example login ada password #s3\nmachine b login x password y", "ada:#s3"),
            ("machine a.example login #ada # a comment\npassword s3 # machine\n# login", "#ada:s3"),
        ]
    )
    func `The entry of a host is used, or else the default entry`(text: String, expected: String) throws {
        #expect(try pair(text) == expected)
    }

    @Test(
        arguments: [
            ("", "no entry for a.example"), ("machine b login x password s3", "no entry for a.example"),
            ("machine a.example login ada", "has no password"),
            ("machine a.example login", "in line 1, login has no value"),
            ("machine a.example\nlogin ada s3", "in line 2, machine, default, login or password is expected"),
            ("login ada password s3", "in line 1, machine"),
        ]
    )
    func `Errors are reported without quoting the file`(text: String, words: String) {
        let failure = #expect(throws: CommandFailure.self) { try pair(text) }
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("s3") == false)
    }
}
