import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct SetCookieListTests {
    @Test(
        arguments: [
            ("a=1", ["a=1"]),
            ("a=1, b=2", ["a=1", "b=2"]),
            ("a=1,b=2", ["a=1", "b=2"]),
            (
                "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/, b=2; Secure",
                ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/", "b=2; Secure"]
            ),
            (
                "a=1; expires=Wed,21-Oct-2037 07:28:00 GMT,b=2; Path=/; Expires=Thu, 22 Oct 2037 07:28:00 GMT, c=3",
                [
                    "a=1; expires=Wed,21-Oct-2037 07:28:00 GMT", "b=2; Path=/; Expires=Thu, 22 Oct 2037 07:28:00 GMT",
                    "c=3",
                ]
            ),
            ("a=x,y; Path=/", ["a=x,y; Path=/"]),
            ("a=\"1, 2\"", ["a=\"1, 2\""]),
            ("a=, b=2", ["a=", "b=2"]),
            ("", [""]),
            ("a=1\nb=2", ["a=1", "b=2"]),
            ("a=1; Path=/\r\n b=2, c=3\rd=4\n", ["a=1; Path=/", "b=2", "c=3", "d=4"]),
        ]
    )
    func `Joined Set-Cookie fields are split at line breaks and at the commas between cookies`(
        _ joined: String,
        _ cookies: [String]
    ) {
        #expect(SetCookieList(joined).cookies == cookies)
    }
}
