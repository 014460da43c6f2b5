import Foundation
import NetworkServiceCompatibility
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct MapTests {
    class Person: BaseModel {
        var name: String? = "Ada"
        var age = 36
        var height = 1.5
        var isActive = false
        var tags: [String] = []
        var friends: [Person]?
        var relatives: [String: Person]?

        override func mapping(map: Map) {
            name <- map["name"]
            age <- map["age"]
            height <- map["height"]
            isActive <- map["is_active"]
            tags <- map["tags"]
            friends <- map["friends"]
            relatives <- map["relatives"]
        }
    }

    private func person(_ json: String) throws -> Person {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return try #require(Person(JSON: object ?? [:]))
    }

    @Test func `Members are read from JSON, also models in arrays and dictionaries`() throws {
        let person = try person(
            #"{"name": "Bob", "age": 7, "height": 2, "is_active": true, "tags": ["a"], "friends": [{"age": 1}, 4],"#
                + #" "relatives": {"mother": {"name": "Eve"}}}"#
        )
        #expect(person.name == "Bob")
        #expect(person.age == 7)
        #expect(person.height == 2)
        #expect(person.isActive)
        #expect(person.tags == ["a"])
        #expect(person.friends?.map(\.age) == [1])
        #expect(person.relatives?["mother"]?.name == "Eve")
    }

    @Test func `A member that the JSON lacks keeps its default value`() throws {
        let person = try person("{}")
        #expect(person.name == "Ada")
        #expect(person.age == 36)
        #expect(person.friends == nil)
    }

    @Test func `A member of another type is nil, or keeps its default value if it is not optional`() throws {
        let person = try person(#"{"name": 1, "age": "7", "friends": null}"#)
        #expect(person.name == nil)
        #expect(person.age == 36)
        #expect(person.friends == nil)
    }

    @Test func `A model is written as a JSON object without its members that are nil`() throws {
        let friend = Person()
        friend.name = nil
        let person = Person()
        person.friends = [friend]
        person.relatives = ["mother": Person()]
        let json = person.toJSON()
        #expect(json["name"] as? String == "Ada")
        #expect(json["age"] as? Int == 36)
        #expect((json["friends"] as? [[String: Any]])?.first?.keys.contains("name") == false)
        #expect((json["relatives"] as? [String: [String: Any]])?["mother"]?["name"] as? String == "Ada")
        #expect(try #require(Person(JSON: json)).friends?.first?.name == "Ada")
    }
}
