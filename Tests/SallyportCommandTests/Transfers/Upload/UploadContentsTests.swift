import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct UploadContentsTests {
    private static let url = "https://example.com/files"

    @Test func `Text before an equals sign is a form field name, and a file alone is sent as the body`() throws {
        let form = try UploadContents(["a=one.txt", "a=two.bin;type=text/csv;filename=2.csv", "b=@three", Self.url])
        #expect(form.url == Self.url)
        #expect(form.files.map(\.name) == ["a", "a", "b"])
        #expect(form.files.map(\.path) == ["one.txt", "two.bin", "three"])
        #expect(form.files.map(\.contentType) == [nil, "text/csv", nil])
        #expect(form.files.map(\.filename) == [nil, "2.csv", nil])
        #expect(form.standardMethod == .post)
        #expect(form.name == "one.txt and 2 more")
        for file in ["one.txt", "./a=b", "/tmp/a=b"] {
            let contents = try UploadContents([file, Self.url])
            #expect(contents.files.map(\.path) == [file])
            #expect(contents.standardMethod == .put)
        }
    }

    @Test(
        arguments: [
            ([url], "KEY=FILE"), (["one.txt", "two.txt", url], "KEY=one.txt"), (["-", url], "sallyport put"),
            (["a=-", url], "sallyport put"), (["a=@-", url], "--form KEY=@-"),
        ]
    )
    func `Invalid upload arguments are refused with the correct form`(arguments: [String], words: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try UploadContents(arguments) }
        #expect(failure?.status == .usage)
        #expect(failure?.message.contains(words) == true)
    }
}
