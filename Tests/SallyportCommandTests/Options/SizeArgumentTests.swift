import ArgumentParser
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct SizeArgumentTests {
    @Test(
        arguments: [
            ("0", 0), ("500", 500), ("7B", 7), ("1k", 1_024), ("10M", 10 << 20), ("1.5GiB", 3 << 29), ("2t", 2 << 40),
            ("3kib", 3_072), ("3KB", 3_000), ("1.5MB", 1_500_000), ("2GB", 2_000_000_000), (".5K", 512),
            ("9223372036854775807", .max), ("9007199254740993", 9_007_199_254_740_993),
        ] as [(String, Int64)]
    )
    func `A size has an optional suffix, whose case does not matter`(text: String, bytes: Int64) throws {
        #expect(try SizeArgument.bytes(text) == bytes)
    }

    @Test(
        arguments: [
            ("", "such as 500, 10M or 1.5GiB"), ("M", "such as"), ("-1", "such as"), ("1e3", "such as"),
            ("0x10", "such as"), ("1 M", "such as"), ("1Mb/s", "such as"), ("1.2.3", "such as"), ("nan", "such as"),
            ("1X", "such as"), ("9223372036854775808", "larger than any file"), ("9999999T", "larger than any file"),
            ("9999999.5T", "larger than any file"),
        ]
    )
    func `An invalid size is refused with the correct form`(text: String, words: String) {
        let error = #expect(throws: ValidationError.self) { try SizeArgument.bytes(text) }
        #expect(error?.message.contains(words) == true)
    }

    @Test func `A rate is at least one byte per second`() throws {
        #expect(try SizeArgument.rate("1") == 1)
        let error = #expect(throws: ValidationError.self) { try SizeArgument.rate("0K") }
        #expect(error?.message == "It must be at least one byte per second; omit the option for no limit.")
    }

    @Test(arguments: [["get", "--limit-rate"], ["download", "--max-filesize"], ["queue", "watch", "--limit-rate"]])
    func `The command states the correct form of a size`(words: [String]) async throws {
        let arguments = words.dropLast() + ["http://127.0.0.1:9/x", words[words.count - 1], "fast"]
        let outcome = try await Tool.run(Array(arguments))
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.contains("it must be a number of bytes, such as 500, 10M or 1.5GiB"),
            "\(outcome.errors)"
        )
    }
}
