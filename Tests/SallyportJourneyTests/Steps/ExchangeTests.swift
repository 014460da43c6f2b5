import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

/// Exchanges in the form of `journey-and-actions.md`, compared byte for byte.
@Suite(.concurrencyLimited) struct ExchangeTests {
    @Test(arguments: Exchange.all)
    func `The answers of a node are the only bytes that change`(_ exchange: Exchange) async throws {
        let server = TreeServer()
        server.answer(.json(exchange.received), .session())
        let journey = try server.journey()
        var node = try node(in: await journey.start())
        try exchange.answer(&node)
        _ = try await node.next()
        #expect(server.treeRequests.last?.text == exchange.sent)
    }

    @Test func `The requests of sessions and tokens have the form of PingAM`() async throws {
        let server = TreeServer()
        server.answer(.session("AQIC5w.*AAJTSQACMDE.*"))
        server.issueTokens()
        server.transport.on(.post, TreeServer.realm + "/sessions", .json(#"{"result":"Successfully logged out"}"#))
        server.transport.on(.get, TreeServer.oauth + "/userinfo", .json(#"{"sub":"alice"}"#))
        server.transport.on(.get, TreeServer.oauth + "/connect/endSession", .status(204))
        let journey = try server.journey()
        _ = try await journey.start()
        let tokens = try await journey.requestTokens()
        #expect(try await journey.oauthClient.userInfo(tokens).subject == "alice")
        let refreshed = try await journey.oauthClient.refresh(tokens)
        try await journey.oauthClient.revoke(refreshed.refreshToken ?? "", kind: .refreshToken)
        try await journey.oauthClient.endSession(for: OAuthTokens(accessToken: "a", idToken: "e.y.J"))
        try await journey.endSession()

        let version = "resource=2.1, protocol=1.0"
        let requests = server.transport.requests
        #expect(
            requests.map { "\($0.method) \($0.path)" } == [
                "POST \(TreeServer.realm)/authenticate", "GET \(TreeServer.oauth)/authorize",
                "POST \(TreeServer.oauth)/access_token", "GET \(TreeServer.oauth)/userinfo",
                "POST \(TreeServer.oauth)/access_token", "POST \(TreeServer.oauth)/token/revoke",
                "GET \(TreeServer.oauth)/connect/endSession", "POST \(TreeServer.realm)/sessions",
            ]
        )
        #expect(requests.prefix(5).allSatisfy { $0.header("accept-api-version") == version })

        let authorize = requests[1]
        let query = queryPairs(authorize.query ?? "")
        #expect(authorize.header("iPlanetDirectoryPro") == "AQIC5w.*AAJTSQACMDE.*")
        #expect(
            query.keys.sorted() == [
                "client_id", "code_challenge", "code_challenge_method", "redirect_uri", "response_type", "scope",
                "state",
            ]
        )
        #expect(query["response_type"] == "code" && query["code_challenge_method"] == "S256")
        #expect(query["client_id"] == "app" && query["scope"] == "profile api")

        let exchange = queryPairs(requests[2].text)
        #expect(exchange["grant_type"] == "authorization_code" && exchange["code"] == "code-1")
        #expect(exchange["redirect_uri"] == "https://app.example.com/cb" && exchange["client_id"] == "app")
        #expect(exchange["code_verifier"]?.count == 43)
        #expect(requests[3].header("Authorization") == "Bearer access-1")
        #expect(queryPairs(requests[4].text)["refresh_token"] == "refresh-1")
        #expect(queryPairs(requests[4].text)["grant_type"] == "refresh_token")
        #expect(queryPairs(requests[5].text)["token"] == "refresh-2")
        #expect(requests[6].query == "client_id=app&id_token_hint=e.y.J")

        let logout = requests[7]
        #expect(logout.query == "_action=logout")
        #expect(logout.header("accept-api-version") == "resource=3.1")
        #expect(logout.header("iPlanetDirectoryPro") == "AQIC5w.*AAJTSQACMDE.*")
        #expect(logout.text == #"{"tokenId":"AQIC5w.*AAJTSQACMDE.*"}"#)
        #expect(requests.filter { $0.path.hasSuffix("/cb") }.isEmpty)
    }
}

/// A node, the answers, and the bytes that are sent back.
struct Exchange: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let received: String
    let answer: @Sendable (inout Node) throws -> Void
    let sent: String

    /// - Parameter answers: The bytes to replace, and their replacements.
    init(
        _ description: String,
        _ received: String,
        _ answers: KeyValuePairs<String, String>,
        _ answer: @escaping @Sendable (inout Node) throws -> Void
    ) {
        testDescription = description
        self.received = received
        self.answer = answer
        sent = answers.reduce(received) { text, pair in text.replacing(pair.key, with: pair.value, maxReplacements: 1) }
    }
}

extension Exchange {
    static let all = [
        Exchange(
            "name and password",
            #"{"authId":"eyJ0.eyJ.c2ln","callbacks":[\#(CallbackText.name),\#(CallbackText.password)],"stage":"UsernamePassword","header":"Sign In","description":"New? <a href=\"/register\">Register</a>"}"#,
            [
                #""IDToken1","value":"""#: #""IDToken1","value":"alice""#,
                #""IDToken2","value":"""#: #""IDToken2","value":"p\"ä\\ss""#,
            ]
        ) { node in
            node[NameCallback.self]?.name = "alice"
            node[PasswordCallback.self]?.password = #"p"ä\ss"#
        },
        Exchange(
            "white space, order of members, number formats, escapes and unknown members",
            """
            { "x" : [1.0,1e2 ,-0.50, 12345678901234567890, {"b":1,"a":2}],\t"callbacks" :[ {"_id":0,
              "input":[{"value" : "" ,"other":null, "name":"IDToken1"}], "output":[{"value":"User \\u004Eame","name":"prompt"}],"new":true,
              "type":"NameCallback"} ] , "authId":"\\/a\\u00e9" }

            """,
            [#""value" : "" ,"#: #""value" : "alice" ,"#]
        ) { node in
            #expect(node[NameCallback.self]?.prompt == "User Name")
            node[NameCallback.self]?.name = "alice"
        },
        Exchange(
            "text input",
            single(
                "TextInputCallback",
                CallbackText.output("prompt", #""Nick""#) + "," + CallbackText.output("defaultText", #""al""#)
            ),
            [#""IDToken1","value":"""#: #""IDToken1","value":"ally""#]
        ) { node in
            #expect(node[TextInputCallback.self]?.defaultText == "al")
            node[TextInputCallback.self]?.text = "ally"
        },
        Exchange(
            "choice by its index",
            single(
                "ChoiceCallback",
                CallbackText.output("prompt", #""Second factor""#) + ","
                    + CallbackText.output("choices", #"["Email","SMS"]"#)
                    + "," + CallbackText.output("defaultChoice", "0"),
                input: #"{"name":"IDToken1","value":0}"#
            ),
            [#""IDToken1","value":0"#: #""IDToken1","value":1"#]
        ) { node in try node[ChoiceCallback.self]?.select("SMS") },
        Exchange(
            "choice without an answer",
            single(
                "ChoiceCallback",
                CallbackText.output("choices", #"["Email","SMS"]"#),
                input: #"{"name":"IDToken1","value":0}"#
            ),
            [:]
        ) { _ in },
        Exchange(
            "confirmation",
            single(
                "ConfirmationCallback",
                CallbackText.output("options", #"["Yes","No"]"#) + "," + CallbackText.output("optionType", "-1")
                    + "," + CallbackText.output("defaultOption", "1"),
                input: #"{"name":"IDToken1","value":100}"#
            ),
            [#""value":100"#: #""value":1"#]
        ) { node in try node[ConfirmationCallback.self]?.select("No") },
        Exchange(
            "text output and polling without inputs",
            #"{"authId":"a","callbacks":[{"type":"TextOutputCallback","output":[{"name":"message","value":"Hi"},{"name":"messageType","value":"1"}]},\#(CallbackText.polling)]}"#,
            [:]
        ) { node in
            #expect(node[TextOutputCallback.self]?.messageType == .warning)
            #expect(node[PollingWaitCallback.self]?.waitTime == .seconds(8))
        },
        Exchange(
            "hidden value",
            single(
                "HiddenValueCallback",
                CallbackText.output("value", #""false""#) + ","
                    + CallbackText.output("id", #""clientScriptOutputData""#),
                input: #"{"name":"IDToken1","value":"clientScriptOutputData"}"#
            ),
            [#""IDToken1","value":"clientScriptOutputData""#: #""IDToken1","value":"{\"a\":1}""#]
        ) { node in node[HiddenValueCallback.self]?.value = #"{"a":1}"# },
        Exchange(
            "attributes, two of which have the same type",
            node(
                attribute("String", 1, "givenName", empty),
                attribute("String", 2, "mail", #""old""#),
                attribute("Number", 3, "age", "null"),
                attribute("Boolean", 4, "news", "true")
            ),
            [
                #""IDToken2","value":"old""#: #""IDToken2","value":"a@example.com""#,
                #""IDToken2validateOnly","value":false"#: #""IDToken2validateOnly","value":true"#,
                #""IDToken3","value":null"#: #""IDToken3","value":41.5"#,
                #""IDToken4","value":true"#: #""IDToken4","value":false"#,
            ]
        ) { node in
            try node.update(StringAttributeInputCallback.self, where: { $0.name == "mail" }) { callback in
                try callback.setValue("a@example.com")
                callback.validateOnly = true
            }
            try node[NumberAttributeInputCallback.self]?.setValue(41.5)
            node[BooleanAttributeInputCallback.self]?.value = false
        },
        Exchange(
            "new account",
            node(
                attribute("", 1, "", empty, type: "ValidatedCreateUsernameCallback"),
                attribute("", 2, "", empty, type: "ValidatedCreatePasswordCallback")
            ),
            [
                #""IDToken1","value":"""#: #""IDToken1","value":"alice""#,
                #""IDToken2","value":"""#: #""IDToken2","value":"wonderland""#,
            ]
        ) { node in
            try node[ValidatedCreateUsernameCallback.self]?.setUsername("alice")
            try node[ValidatedCreatePasswordCallback.self]?.setPassword("wonderland")
        },
        Exchange(
            "security question",
            single(
                "KbaCreateCallback",
                CallbackText.output("predefinedQuestions", #"["Pet?","Town?"]"#),
                input: #"{"name":"IDToken1question","value":""},{"name":"IDToken1answer","value":""}"#
            ),
            [
                #""IDToken1question","value":"""#: #""IDToken1question","value":"Town?""#,
                #""IDToken1answer","value":"""#: #""IDToken1answer","value":"Oxford""#,
            ]
        ) { node in
            let question = node[KbaCreateCallback.self]?.predefinedQuestions.last
            node[KbaCreateCallback.self]?.question = question
            node[KbaCreateCallback.self]?.answer = "Oxford"
        },
        Exchange(
            "terms and consent",
            node(
                CallbackText.make(
                    "TermsAndConditionsCallback",
                    output: CallbackText.output("version", #""1.0""#),
                    input: #"{"name":"IDToken1","value":false}"#
                ),
                CallbackText.make("ConsentMappingCallback", input: #"{"name":"IDToken2","value":false}"#)
            ),
            [
                #""IDToken1","value":false"#: #""IDToken1","value":true"#,
                #""IDToken2","value":false"#: #""IDToken2","value":true"#,
            ]
        ) { node in
            node[TermsAndConditionsCallback.self]?.isAccepted = true
            node[ConsentMappingCallback.self]?.isGranted = true
        },
        Exchange(
            "captcha and integrity of the app",
            node(
                CallbackText.make("ReCaptchaCallback"),
                CallbackText.make(
                    "AppIntegrityCallback",
                    input: #"{"name":"IDToken2token","value":""},{"name":"IDToken2clientError","value":""}"#
                )
            ),
            [
                #""IDToken1","value":"""#: #""IDToken1","value":"captcha-token""#,
                #""IDToken2clientError","value":"""#: #""IDToken2clientError","value":"Unsupported""#,
            ]
        ) { node in
            node[ReCaptchaCallback.self]?.token = "captcha-token"
            node[AppIntegrityCallback.self]?.clientError = "Unsupported"
        },
        Exchange(
            "identity providers",
            node(
                CallbackText.make(
                    "SelectIdPCallback",
                    output: CallbackText.output(
                        "providers",
                        #"[{"provider":"google","uiConfig":{"label":"G"}},{"provider":"localAuthentication"}]"#
                    )
                ),
                CallbackText.make(
                    "IdPCallback",
                    input: #"{"name":"IDToken2token","value":""},{"name":"IDToken2token_type","value":""}"#
                )
            ),
            [
                #""IDToken1","value":"""#: #""IDToken1","value":"google""#,
                #""IDToken2token","value":"""#: #""IDToken2token","value":"t.o.k""#,
                #""IDToken2token_type","value":"""#: #""IDToken2token_type","value":"id_token""#,
            ]
        ) { node in
            try node[SelectIdPCallback.self]?.select("google")
            node[IdPCallback.self]?.setToken("t.o.k", type: "id_token")
        },
        Exchange(
            "unknown type",
            single(
                "BadgeCallback",
                CallbackText.output("prompt", #""Badge""#),
                input: #"{"name":"badge","value":{"n":0}}"#
            ),
            [#"{"n":0}"#: #"{"digits":[1,2]}"#]
        ) { node in
            #expect(node.callbacks[0] is RawCallback)
            try node.update(RawCallback.self) { callback in try callback.setInput("badge", to: ["digits": [1, 2]]) }
        },
        Exchange(
            "unknown type without an answer",
            single("BadgeCallback", input: #"{"name":"badge","value":1.50}"#),
            [:]
        ) { _ in },
        Exchange(
            "device binding",
            single(
                "DeviceBindingCallback",
                CallbackText.output("userId", #""id=alice""#),
                input: ["jws", "deviceName", "deviceId", "clientError"].map { #"{"name":"IDToken1\#($0)","value":""}"# }
                    .joined(separator: ",")
            ),
            [
                #""IDToken1jws","value":"""#: #""IDToken1jws","value":"h.p.s""#,
                #""IDToken1deviceName","value":"""#: #""IDToken1deviceName","value":"Laptop""#,
                #""IDToken1deviceId","value":"""#: #""IDToken1deviceId","value":"d-1""#,
            ]
        ) { node in
            node[DeviceBindingCallback.self]?.setBinding(
                DeviceBinding(jws: "h.p.s", deviceID: "d-1", deviceName: "Laptop")
            )
        },
        Exchange(
            "device signing that the user refuses",
            single(
                "DeviceSigningVerifierCallback",
                input: #"{"name":"IDToken1jws","value":""},{"name":"IDToken1clientError","value":""}"#
            ),
            [#""IDToken1clientError","value":"""#: #""IDToken1clientError","value":"Abort""#]
        ) { node in node[DeviceSigningVerifierCallback.self]?.setError(.aborted) },
        Exchange(
            "device profile",
            single(
                "DeviceProfileCallback",
                CallbackText.output("metadata", "true") + "," + CallbackText.output("location", "false")
            ),
            [
                #""IDToken1","value":"""#:
                    #""IDToken1","value":"{\"identifier\":\"d-1\",\"metadata\":{\"platform\":\"linux\"}}""#
            ]
        ) { node in
            try node[DeviceProfileCallback.self]?.setProfile(
                DeviceProfile(identifier: "d-1", metadata: ["platform": "linux"])
            )
        },
        Exchange(
            "metadata beside a hidden value",
            #"{"authId":"a","callbacks":[{"type":"MetadataCallback","output":[{"name":"data","value":{"stage":"x","n":1.0}}]},\#(CallbackText.name)]}"#,
            [#""IDToken1","value":"""#: #""IDToken1","value":"alice""#]
        ) { node in
            #expect(node[MetadataCallback.self]?.data?["n"]?.number == "1.0")
            node[NameCallback.self]?.name = "alice"
        },
    ]

    /// An empty text in JSON.
    private static let empty = "\"\""

    private static func node(_ callbacks: String...) -> String {
        #"{"authId":"a","callbacks":[\#(callbacks.joined(separator: ","))]}"#
    }

    private static func single(
        _ type: String,
        _ output: String = "",
        input: String = #"{"name":"IDToken1","value":""}"#
    ) -> String {
        node(CallbackText.make(type, output: output, input: input))
    }

    private static func attribute(_ kind: String, _ number: Int, _ name: String, _ value: String, type: String? = nil)
        -> String
    {
        let output = CallbackText.output("name", #""\#(name)""#) + "," + CallbackText.output("value", value)
        let input =
            #"{"name":"IDToken\#(number)","value":\#(value)},{"name":"IDToken\#(number)validateOnly","value":false}"#
        return CallbackText.make(type ?? "\(kind)AttributeInputCallback", output: output, input: input)
    }
}
