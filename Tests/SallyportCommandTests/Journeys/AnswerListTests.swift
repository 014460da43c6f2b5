import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct AnswerListTests {
    @Test func `Each answer is used once, in its order`() throws {
        let answers = AnswerList(try ["password=first", "name=alice", "Password=second"].map(NameAndValue.init))
        #expect(answers.take(["password"]) == "first")
        #expect(answers.take(["password"]) == "second")
        #expect(answers.take(["password"]) == nil)
        #expect(answers.take(["NAME"]) == "alice")
    }

    @Test func `Unused answers, and questions that were answered before, are known`() throws {
        let answers = AnswerList(try ["name=alice", "foo=bar"].map(NameAndValue.init))
        let names = ["IDToken1", "User Name", "name"]
        #expect(!answers.hasAnswered(names))
        #expect(answers.take(names) == "alice")
        #expect(answers.hasAnswered(names))
        #expect(!answers.hasAnswered(["IDToken1", "Nickname", "name"]))
        #expect(answers.unusedNames == ["foo"])
    }

    @Test func `The first name with an answer is used`() throws {
        let answers = AnswerList(try ["password=a", "One Time Password=b"].map(NameAndValue.init))
        #expect(answers.take(["IDToken1", "One Time Password", "password"]) == "b")
        #expect(answers.take(["IDToken1", "One Time Password", "password"]) == "a")
    }

    @Test(arguments: [("yes", true), (" Y ", true), ("true", true), ("no", false), ("N", false), ("", nil), ("1", nil)])
    func `Yes and no have several forms`(text: String, answer: Bool?) {
        #expect(YesOrNo.parse(text) == answer)
    }

    @Test(arguments: [("Push", 0), ("push", 0), ("2", 1), (" 3 ", 2), ("0", nil), ("4", nil), ("7", 2), ("", nil)])
    func `A choice is found by its text before its number`(text: String, index: Int?) {
        #expect(Choices.index(of: text, in: ["Push", "Number", "7"]) == index)
    }
}
