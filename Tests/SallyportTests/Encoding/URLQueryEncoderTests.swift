import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct URLQueryEncoderTests {
    private enum Size: String, Encodable { case small, large = "very large" }

    private struct Inner: Encodable {
        var x: Int
        var y: Inner2?
    }

    private struct Inner2: Encodable { var z: [Int] }

    /// Encodes a value under the name `a`, undoing the percent-encoding so that the expected values are readable.
    private func text(_ value: some Encodable, _ change: (inout ParameterOptions) -> Void = { _ in }) throws -> String {
        var options = ParameterOptions()
        change(&options)
        let pairs = try URLQueryEncoder(options).parameters(of: Named(a: value))
        return pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private struct Named<Value: Encodable>: Encodable { var a: Value }

    private func problem(_ value: some Encodable, _ change: (inout ParameterOptions) -> Void = { _ in }) -> String {
        var options = ParameterOptions()
        change(&options)
        var request = HttpRequest(url: "https://api.example.com/")
        request.setParameters(value, encoder: URLQueryEncoder(options))
        return refusal(of: request)
    }

    @Test func `Scalar values are written as text`() throws {
        #expect(try text("x y") == "a=x y")
        #expect(try text("") == "a=")
        #expect(try text(true) == "a=true")
        #expect(try text(-7) == "a=-7")
        #expect(try text(UInt64.max) == "a=18446744073709551615")
        #expect(try text(Int8.min) == "a=-128")
        #expect(try text(1.5) == "a=1.5")
        #expect(try text(1.0) == "a=1")
        #expect(try text(1e30) == "a=1e+30")
        #expect(try text(Float(0.1)) == "a=0.1")
        #expect(try text(Decimal(string: "12.10")!) == "a=12.1")
        #expect(try text(Size.large) == "a=very large")
        #expect(try text(URL(string: "https://example.com/x?y=z")!) == "a=https://example.com/x?y=z")
        #expect(
            try text(UUID(uuidString: "7B7AF31C-3D35-4A20-9D5A-E0F5F5F3C3B1")!)
                == "a=7B7AF31C-3D35-4A20-9D5A-E0F5F5F3C3B1"
        )
        #expect(try text(Data([0xFB, 0xFF])) == "a=+/8=")
    }

    @Test func `Booleans are written as words or digits`() throws {
        #expect(try text([true, false]) == "a=true&a=false")
        #expect(try text([true, false]) { $0.booleans = .digits } == "a=1&a=0")
    }

    @Test func `Dates are written in the configured format`() throws {
        let date = Date(timeIntervalSince1970: 1_735_689_600.25)
        #expect(try text(date) == "a=2025-01-01T00:00:00Z")
        #expect(try text(date) { $0.dates = .seconds } == "a=1735689600.25")
        #expect(try text(Date(timeIntervalSince1970: 1_735_689_600)) { $0.dates = .seconds } == "a=1735689600")
        #expect(try text(Date(timeIntervalSince1970: 0)) { $0.dates = .seconds } == "a=0")
        #expect(try text(Date(timeIntervalSince1970: -1.5)) { $0.dates = .seconds } == "a=-1.5")
        #expect(try text(date) { $0.dates = .milliseconds } == "a=1735689600250")
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "dd/MM/yyyy"
        #expect(try text([date]) { $0.dates = .formatted(formatter) } == "a=01/01/2025")
        #expect(try text(date) { $0.dates = .custom { _ in "now" } } == "a=now")
    }

    @Test(arguments: [
        (ParameterOptions.Arrays.repeated, "a=1&a=2"), (.brackets, "a[]=1&a[]=2"), (.indexed, "a[0]=1&a[1]=2"),
        (.comma, "a=1,2"),
    ])
    func `Arrays are written in the configured format`(arrays: ParameterOptions.Arrays, expected: String) throws {
        #expect(try text([1, 2]) { $0.arrays = arrays } == expected)
        #expect(try text([Int]()) { $0.arrays = arrays } == "")
        #expect(try text(Set([1])) { $0.arrays = arrays } == String(expected.prefix { !",&".contains($0) }))
    }

    @Test func `Names in nested objects are written with brackets or dots`() throws {
        let value = Inner(x: 1, y: Inner2(z: [2, 3]))
        #expect(try text(value) == "a[x]=1&a[y][z]=2&a[y][z]=3")
        #expect(try text(value) { $0.nesting = .dots } == "a.x=1&a.y.z=2&a.y.z=3")
        #expect(try text(value) { $0.arrays = .brackets } == "a[x]=1&a[y][z][]=2&a[y][z][]=3")
    }

    @Test func `Arrays of objects or arrays require the indexed format`() throws {
        let values = [Inner(x: 1), Inner(x: 2)]
        #expect(try text(values) { $0.arrays = .indexed } == "a[0][x]=1&a[1][x]=2")
        #expect(try text([[1], [2, 3]]) { $0.arrays = .indexed } == "a[0][0]=1&a[1][0]=2&a[1][1]=3")
        for arrays in [ParameterOptions.Arrays.repeated, .brackets, .comma] {
            let problem = problem(Named(a: values)) { $0.arrays = arrays }
            #expect(problem.contains(": an array of objects or arrays can only be written with arrays = .indexed"))
        }
    }

    @Test func `With comma-separated arrays, an element that contains a comma is refused`() throws {
        #expect(problem(Named(a: ["x,y", "z"])) { $0.arrays = .comma }.contains("at a: an element contains a comma"))
        #expect(!problem(Named(a: ["x,y", "z"])) { $0.arrays = .comma }.contains("x,y"))
    }

    @Test func `A nil of any type is omitted or written as an empty value`() throws {
        struct Nils: Encodable {
            var bool: Bool?
            var string: String?
            var double: Double?
            var float: Float?
            var int: Int?
            var int8: Int8?
            var int16: Int16?
            var int32: Int32?
            var int64: Int64?
            var uint: UInt?
            var uint8: UInt8?
            var uint16: UInt16?
            var uint32: UInt32?
            var uint64: UInt64?
            var date: Date?
            var inner: Inner?
            var array: [Int]?
        }
        var encoder = URLQueryEncoder()
        #expect(try encoder.encode(Nils()) == "")
        encoder.options.nils = .empty
        let names = Mirror(reflecting: Nils()).children.compactMap(\.label)
        #expect(try encoder.encode(Nils()) == names.map { "\($0)=" }.joined(separator: "&"))
        #expect(try text([1, nil]) == "a=1")
        #expect(try text([1, nil]) { $0.nils = .empty } == "a=1&a=")
        #expect(try text(Optional<Int?>.some(nil)) { $0.nils = .empty } == "a=")
    }

    @Test func `Names are in declaration order or sorted`() throws {
        struct Unsorted: Encodable {
            var b = 1
            var a = [2]
            var c = ["z": 1, "y": 2, "x": 3]
        }
        var encoder = URLQueryEncoder()
        #expect(try encoder.encode(Unsorted()) == "b=1&a=2&c%5Bx%5D=3&c%5By%5D=2&c%5Bz%5D=1")
        encoder.options.keyOrder = .sorted
        #expect(try encoder.encode(Unsorted()) == "a=2&b=1&c%5Bx%5D=3&c%5By%5D=2&c%5Bz%5D=1")
        let many = Dictionary(uniqueKeysWithValues: (0..<50).map { ("k\($0 + 10)", $0) })
        #expect(try URLQueryEncoder().encode(many) == (0..<50).map { "k\($0 + 10)=\($0)" }.joined(separator: "&"))
    }

    @Test func `Enums with associated values are written as objects`() throws {
        enum Filter: Encodable {
            case all
            case range(from: Int, to: Int)
            case tag(String)
        }
        #expect(try text(Filter.range(from: 1, to: 2)) == "a[range][from]=1&a[range][to]=2")
        #expect(try text(Filter.tag("x")) == "a[tag][_0]=x")
        #expect(try text(Filter.all) == "")
        #expect(try URLQueryEncoder().encode(Filter.tag("x")) == "tag%5B_0%5D=x")
    }

    @Test func `Inherited properties are written beside the class's own or below super`() throws {
        class Animal: Encodable { var name = "Rex" }
        class Dog: Animal {
            var breed = "Collie"
            let apart: Bool
            init(apart: Bool) { self.apart = apart }
            enum Keys: CodingKey { case breed }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(breed, forKey: .breed)
                try super.encode(to: apart ? container.superEncoder() : encoder)
            }
        }
        #expect(try URLQueryEncoder().encode(Dog(apart: false)) == "breed=Collie&name=Rex")
        #expect(try URLQueryEncoder().encode(Dog(apart: true)) == "breed=Collie&super%5Bname%5D=Rex")
    }

    @Test func `Manually created containers can be nested and keep their positions`() throws {
        struct ByHand: Encodable {
            enum Keys: CodingKey { case first, second, third, fourth }
            func encode(to encoder: any Encoder) throws {
                var top = encoder.container(keyedBy: Keys.self)
                var list = top.nestedUnkeyedContainer(forKey: .first)
                var object = top.nestedContainer(keyedBy: Keys.self, forKey: .second)
                try top.encode(true, forKey: .third)
                try object.encodeNil(forKey: .first)
                try object.encode("x", forKey: .third)
                try list.encode(1)
                var inner = list.nestedContainer(keyedBy: Keys.self)
                try inner.encode(2, forKey: .first)
                var numbers = list.nestedUnkeyedContainer()
                try numbers.encode(contentsOf: [3, 4])
                var fourth = list.superEncoder().singleValueContainer()
                try fourth.encode(5)
                try list.encodeNil()
                #expect(list.count == 5)
                #expect(numbers.codingPath.map(\.stringValue) == ["first", "2"])
                var apart = top.superEncoder(forKey: .fourth).singleValueContainer()
                try apart.encode("y")
                try top.encode(false, forKey: .third)
            }
        }
        var options = ParameterOptions()
        options.arrays = .indexed
        options.nils = .empty
        let pairs = try URLQueryEncoder(options).parameters(of: ByHand()).map { "\($0.name)=\($0.value)" }
        #expect(
            pairs == [
                "first[0]=1", "first[1][first]=2", "first[2][0]=3", "first[2][1]=4", "first[3]=5", "first[4]=",
                "second[first]=", "second[third]=x", "third=false", "fourth=y",
            ]
        )
    }

    @Test func `A value nested deeper than the maximum, even endlessly, is refused`() throws {
        final class Endless: Encodable {
            enum Keys: CodingKey { case next }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(self, forKey: .next)
            }
        }
        struct Nested: Encodable {
            var depth: Int
            enum Keys: CodingKey { case inner }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                for _ in 1..<depth { container = container.nestedContainer(keyedBy: Keys.self, forKey: .inner) }
                try container.encode(1, forKey: .inner)
            }
        }
        #expect(problem(Endless()).contains("it is more than 32 levels deep"))
        #expect(problem(Nested(depth: 33)).contains("it is more than 32 levels deep"))
        #expect(problem(Nested(depth: 32)) == "")
        #expect(problem(Nested(depth: 3)) { $0.maximumDepth = 2 }.contains("it is more than 2 levels deep"))
    }

    @Test func `Only a keyed container can be encoded at the top level`() {
        let expected = "at the root: only an object has names: encode a struct, a class or a dictionary"
        #expect(problem([1, 2]).contains(expected))
        #expect(problem("x").contains(expected))
        #expect(problem(Optional<Int>.none).contains(expected))
        #expect(problem([String: Int]()) == "")
        #expect(problem(Named(a: Double.nan)).contains("at a: it is not a finite number"))
    }

    @Test func `A query encodes a space as %20, a form as a plus sign`() throws {
        let value = ["a b": "ü&=+/?", "x": "1 2"]
        #expect(try URLQueryEncoder().encode(value) == "a%20b=%C3%BC%26%3D%2B%2F%3F&x=1%202")
        #expect(try FormEncoder().encode(value) == "a+b=%C3%BC%26%3D%2B%2F%3F&x=1+2")
    }

    @Test func `Any text is decoded unchanged by URLComponents`() throws {
        let texts = [
            "", " ", "+", "%", "%41", "a=b&c", "[x]", "a.b", "é\u{301}", "日本", "😀", "\r\n\0", "?#/;,\"'<>\\", "~*-._!",
        ]
        let values = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ("k\($0 + 10)\($1)", $1) })
        var components = URLComponents()
        components.percentEncodedQuery = try URLQueryEncoder().encode(values)
        let items = (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        #expect(Dictionary(uniqueKeysWithValues: items) == values)
        #expect(try components.percentEncodedQuery == URLQueryEncoder().encode(values))
    }

    @Test func `Encodable values can be set as query parameters and as a form`() throws {
        var request = makeRequest("https://api.example.com/?a=0") { $0.setParameters(Inner(x: 1)) }
        request.setParameter(name: "b", value: "2")
        #expect(try request.head().path == "/?a=0&x=1&b=2")
        request = makeRequest { $0.form(["a": "x y"]) }
        request.form(parameters: [("b", "1")])
        #expect(request.getMethod() == .post)
        #expect(request.body.text == "a=x+y&b=1")
        #expect(request.getHeader(name: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(refusal(of: makeRequest { $0.form([1]) }).contains("the form cannot be encoded at the root"))
    }
}
