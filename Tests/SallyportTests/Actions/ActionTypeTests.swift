import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ActionTypeTests {
    @Test func `An action type equals its raw name and a constant for it`() {
        let action = Action("START_AUTHENTICATE", payload: ["tree": "Login", "type": "service"])
        #expect(action.type == "START_AUTHENTICATE")
        #expect(action.type == .example)
        #expect(action.type != "start_authenticate")
        #expect(action.type != "AUTHENTICATE")
        #expect("\(action.type)" == "START_AUTHENTICATE")
        #expect(action.payload?["tree"] == "Login")
    }

    @Test func `The payload of an action can contain any JSON value`() {
        let tree = "Login"
        let action = Action(
            "MINE",
            payload: ["tree": "\(tree)", "retries": 2, "ratio": 0.5, "isForced": true, "none": nil, "steps": ["a", 1]]
        )
        #expect(action.payload?["tree"]?.string == "Login")
        #expect(action.payload?["retries"] == 2)
        #expect(action.payload?["ratio"]?.number == 0.5)
        #expect(action.payload?["isForced"] == true)
        #expect(action.payload?["none"] == JsonValue.null)
        #expect(action.payload?["steps"]?.array == ["a", 1])
        #expect(action == Action("MINE", payload: action.payload))
        #expect(action != Action("MINE", payload: ["tree": "Other"]))
    }

    @Test func `Apps can define their own action types`() {
        let mine: ActionType = "MINE"
        #expect(Action(mine) == Action(ActionType(rawValue: "MINE")))
        switch mine {
        case "MINE": break
        default: Issue.record("a custom type does not match its name")
        }
    }

    @Test func `A request has no action by default`() {
        var request = HttpRequest(url: "https://api.example.com/")
        #expect(request.action == nil)
        request.action = Action(.example)
        #expect(request.action?.type == .example)
    }

    @Test func `A request carries no credentials of its own by default`() {
        var request = HttpRequest(url: "https://api.example.com/")
        request.action = Action(.example)
        #expect(!request.carriesOwnCredentials)
        request.carriesOwnCredentials = true
        let copy = request
        #expect(copy.carriesOwnCredentials)
    }
}

extension ActionType {
    fileprivate static let example: Self = "START_AUTHENTICATE"
}
