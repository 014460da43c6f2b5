import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct JourneyTreesTests {
    /// Returns the error for a tree named `T` with one node named `n`.
    private func problem(_ node: String, start: String = "n") -> String? {
        problem(tree: #"{"start": "\#(start)", "nodes": {"n": \#(node)}}"#)
    }

    private func problem(tree: String) -> String? {
        do throws(GatewayError) {
            _ = try JourneyTrees(json: Data(#"{"T": \#(tree)}"#.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `The trees of the development configuration are valid`() throws {
        let names = try JourneyTrees.development().names
        #expect(
            names == [
                "DeviceProfile", "Failing", "Login", "LoginWithPush", "MagicLink", "OneTimePassword", "Passkey",
                "RegisterPasskey", "Registration", "StepUp", "Waiting",
            ]
        )
    }

    @Test func `The tree in the documentation can be completed`() async throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Docs/trees.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let json = try #require(text.firstMatch(of: /```json\n(?<tree>(?s:.*?))```/)).tree
        let trees = try JourneyTrees(json: Data(json.utf8))
        try await JourneyClient.with({ configuration in
            configuration.trees = trees
            configuration.stepUpTree = nil
        }) { journey in
            let ask = try await journey.start("SignIn")
            #expect(ask.output("prompt", of: 1) == "Your password")
            let news = try await journey.answer(ask, ["IDToken1": "alice", "IDToken2": "wonderland"])
            _ = try await journey.answer(news, ["IDToken1": 1]).token
        }
    }

    @Test func `Every kind of node is in the documentation`() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Docs/trees.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        for type in JourneyNodes.typeNames {
            #expect(text.contains("| `\(type)` |"), "\(type)")
        }
    }

    @Test func `The error for a wrong tree names the tree`() throws {
        #expect(problem(tree: "5") == #"The tree "T" is not a JSON object."#)
        #expect(problem(tree: #"{"nodes": {}}"#) == #"The tree "T" has no "start"."#)
        #expect(problem(tree: #"{"start": "a"}"#) == #"The tree "T" has no "nodes"."#)
        #expect(
            problem(tree: #"{"start": "a", "nodes": {}, "end": 1}"#)
                == #"The tree "T": "end" is unknown. Known members: "nodes", "start"."#
        )
        #expect(
            problem(#"{"type": "username", "next": "success"}"#, start: "m")
                == #"The tree "T" starts with "m", but has no such node."#
        )
        #expect(
            problem(tree: #"{"start": "success", "nodes": {"success": {"type": "username", "next": "success"}}}"#)
                == #"The tree "T": a node cannot have the name "success", which ends the tree."#
        )
    }

    @Test func `A file without a tree is refused`() {
        #expect(throws: GatewayError.invalidIdentity("There is no tree in the JSON object.")) {
            try JourneyTrees(json: Data("{}".utf8))
        }
    }

    @Test func `The identity file in the documentation has a public client that needs no consent`() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Docs/trees.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let json = try #require(text.firstMatch(of: /```json\n(?<identity>\{\n  "users"(?s:.*?))```/)).identity
        let configuration = try AuthorizationServerConfiguration(json: Data(json.utf8))
        #expect(configuration.users.map(\.username) == ["dora"])
        #expect(configuration.clients.map(\.id) == ["cli"])
        #expect(configuration.clients.allSatisfy { $0.isPublic && $0.impliesConsent })
    }

    @Test func `A tree file with a slip in its JSON is refused with the place, and one with two equal names too`() {
        #expect(
            problem(tree: #"{"start": "n" "nodes": {}}"#)?.hasPrefix("the JSON document cannot be used: ") == true
        )
        let node = #"{"type": "username", "next": "success"}"#
        #expect(
            problem(tree: #"{"start": "n", "nodes": {"n": \#(node), "n": \#(node)}}"#)?
                .hasPrefix("the JSON document cannot be used: ") == true
        )
    }

    @Test func `A node that no other leads to, and a name with other characters, are refused`() throws {
        let node = #"{"type": "username", "next": "success"}"#
        #expect(
            problem(tree: #"{"start": "n", "nodes": {"n": \#(node), "m": \#(node)}}"#)
                == #"The tree "T": no node leads to "m"."#
        )
        for name in ["R&D", "Step Up", "", String(repeating: "a", count: 65)] {
            let tree = #"{"start": "n", "nodes": {"n": \#(node)}}"#
            let message =
                #"The name of the tree "\#(name.prefix(64))" must consist of at most 64 letters, digits, dots, - and _."#
            #expect(throws: GatewayError.invalidIdentity(message)) {
                try JourneyTrees(json: Data(#"{"\#(name)": \#(tree)}"#.utf8))
            }
        }
    }

    @Test(
        arguments: [
            #"{"type": "message", "message": "Hi", "options": ["OK"], "next": {"OK": "success"}}"#,
            #"{"type": "choice", "choices": ["OK"], "next": {"OK": "success"}}"#,
            #"{"type": "choice", "choices": ["OK"], "next": "success"}"#,
            #"{"type": "page", "nodes": [{"type": "choice", "choices": ["OK"]}], "next": {"OK": "success"}}"#,
        ]
    )
    func `A node with one button or choice leads to a node by the name of it, or directly`(node: String) {
        #expect(problem(node) == nil)
    }

    @Test func `Other trees replace those of a configuration before its tree for step-ups is checked`() throws {
        let tree = #"{"start": "n", "nodes": {"n": {"type": "username", "next": "success"}}}"#
        let trees = try JourneyTrees(json: Data(#"{"Confirm": \#(tree)}"#.utf8))
        let json = Data(#"{"step_up_tree": "Confirm"}"#.utf8)
        #expect(try AuthorizationServerConfiguration(json: json, trees: trees).stepUpTree == "Confirm")
    }

    @Test func `The error for a wrong node names the tree and the node`() throws {
        let place = #"The tree "T", node "n""#
        #expect(problem("5") == "\(place) is not a JSON object.")
        #expect(problem(#"{"next": "success"}"#) == #"\#(place) has no "type"."#)
        #expect(
            problem(#"{"type": "user"}"#)?.hasPrefix(#"\#(place): the type "user" is unknown. Known types: "#) == true
        )
        #expect(problem(#"{"type": "username"}"#) == #"\#(place) has no "next"."#)
        #expect(
            problem(#"{"type": "username", "next": {}}"#)
                == #"\#(place) has one outcome, so "next" must be the name of a node."#
        )
        #expect(problem(#"{"type": "username", "next": 5}"#) == #"\#(place): "next" must be a text."#)
        #expect(
            problem(#"{"type": "username", "next": "m"}"#)
                == #"\#(place): "next" leads to "m", but there is no such node."#
        )
        #expect(
            problem(#"{"type": "username", "prompt": 5, "next": "success"}"#)
                == #"\#(place): "prompt" must be a text."#
        )
        #expect(
            problem(#"{"type": "username", "promt": "x", "next": "success"}"#)
                == #"\#(place): "promt" is unknown. Known members: "next", "prompt", "type"."#
        )
        #expect(
            problem(#"{"type": "check-password", "next": {"yes": "success"}}"#)
                == #"\#(place) has no outcome "yes". Its outcomes: "true", "false"."#
        )
        #expect(
            problem(#"{"type": "check-password", "next": {"true": "success"}}"#)
                == #"\#(place): "next" does not say what follows "false". Its outcomes: "true", "false"."#
        )
        #expect(
            problem(#"{"type": "check-password", "next": {"true": 1, "false": "failure"}}"#)
                == #"\#(place): "next" must lead to the name of a node."#
        )
        #expect(
            problem(#"{"type": "page", "nodes": [{"type": "check-password"}], "next": "success"}"#)
                == #"\#(place), "nodes"[0] cannot be on a page: it does not only ask the user."#
        )
        #expect(
            problem(#"{"type": "page", "nodes": [{"type": "username", "x": 1}], "next": "success"}"#)
                == #"\#(place), "nodes"[0]: "x" is unknown. Known members: "prompt", "type"."#
        )
        #expect(
            problem(#"{"type": "choice", "choices": [], "next": "success"}"#)
                == #"\#(place): "choices" must be an array of texts."#
        )
        #expect(
            problem(#"{"type": "choice", "choices": ["a"], "default": "b", "next": "success"}"#)
                == #"\#(place): "default" must be one of the choices."#
        )
        #expect(
            problem(#"{"type": "choice", "choices": ["x", "x"], "next": "success"}"#)
                == #"\#(place): "choices" must be an array of different texts."#
        )
        #expect(
            problem(#"{"type": "create-username", "min-length": 9, "max-length": 3, "next": "success"}"#)
                == #"\#(place): "max-length" must be at least "min-length"."#
        )
        #expect(
            problem(#"{"type": "create-username", "minimum": 9, "maximum": 3, "next": "success"}"#)
                == #"\#(place): "maximum" must be at least "minimum"."#
        )
        #expect(
            problem(#"{"type": "polling", "polls": 0, "next": "success"}"#)
                == #"\#(place): "polls" must be an integer from 1 to 100."#
        )
        #expect(
            problem(#"{"type": "message", "message": "x", "kind": "loud", "next": "success"}"#)
                == #"\#(place): "kind" must be one of "information", "warning", "error"."#
        )
    }

    @Test func `A configuration file contains trees, realms and settings of sessions`() throws {
        let json = """
            {"trees": {"A": {"start": "n", "nodes": {"n": {"type": "username", "next": "success"}}}}, "step_up_tree": "A",
             "realms": ["alpha", "alpha/beta"], "session_cookie": "sso", "lockout_failures": 3}
            """
        let configuration = try AuthorizationServerConfiguration(json: Data(json.utf8))
        #expect(configuration.trees.names == ["A"])
        #expect(configuration.stepUpTree == "A")
        #expect(configuration.gatewayRealms.map(\.name) == ["/", "/alpha", "/alpha/beta"])
        #expect(
            configuration.gatewayRealms.map(\.paths)
                == [["root"], ["root/realms/alpha", "alpha"], ["root/realms/alpha/realms/beta"]]
        )
        #expect(configuration.sessionCookie == "sso")
        #expect(configuration.lockoutFailures == 3)
    }

    @Test(
        arguments: [
            (#"{"trees": {"A": {}}}"#, #"The tree "A" has no "start"."#),
            (#"{"step_up_tree": "A"}"#, "There is no tree A (step_up_tree)."),
            (
                #"{"realms": ["a b"]}"#,
                #"The realm "a b" must consist of letters, digits, - and _, such as alpha, and cannot be root or realms (realms)."#
            ),
            (
                #"{"realms": ["root"]}"#,
                #"The realm "root" must consist of letters, digits, - and _, such as alpha, and cannot be root or realms (realms)."#
            ),
            (#"{"session_cookie": "a=b"}"#, "The session_cookie must consist of letters, digits, - and _."),
            (#"{"lockout_failures": 0}"#, "The lockout_failures must be from 1 to 1000000."),
        ]
    )
    func `The error for wrong settings of trees and sessions names the member`(json: String, message: String) {
        #expect(throws: GatewayError.invalidIdentity(message)) {
            try AuthorizationServerConfiguration(json: Data(json.utf8))
        }
    }
}
