import ArgumentParser

/// An argument that is a number of bytes: `500`, `10M` or `1.5GiB`.
enum SizeArgument {
    /// The help for options with a size.
    static let valueName = "size"

    private static let suffixes = ["K", "M", "G", "T"]

    /// Parses a number of bytes. As in curl, the suffixes K, M, G and T are powers of 1024, and so are KiB, MiB, GiB and TiB; KB, MB, GB
    /// and TB are powers of 1000. They are not case-sensitive.
    ///
    /// - Throws: A usage error that explains the form.
    static func bytes(_ argument: String) throws -> Int64 {
        let digits = argument.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let number = Double(digits)
        guard let number, let unit = unit(argument[digits.endIndex...]) else {
            throw ValidationError("It must be a number of bytes, such as 500, 10M or 1.5GiB.")
        }
        // Whole numbers are exact, also those that a floating-point number cannot represent.
        if let whole = Int64(digits) {
            let (bytes, overflow) = whole.multipliedReportingOverflow(by: unit)
            if !overflow { return bytes }
        } else if number * Double(unit) < 9e18 {
            return Int64(number * Double(unit))
        }
        throw ValidationError("It is larger than any file; use a suffix such as M or G.")
    }

    /// Parses a rate in bytes per second.
    ///
    /// - Throws: A usage error that explains the form.
    static func rate(_ argument: String) throws -> Int64 {
        let bytes = try bytes(argument)
        if bytes < 1 { throw ValidationError("It must be at least one byte per second; omit the option for no limit.") }
        return bytes
    }

    /// Returns the number of bytes of a unit; `nil` for an unknown suffix.
    private static func unit(_ suffix: Substring) -> Int64? {
        let suffix = suffix.uppercased()
        if suffix.isEmpty || suffix == "B" { return 1 }
        guard let power = suffixes.firstIndex(of: String(suffix.prefix(1))) else { return nil }
        let base: Int64
        switch suffix.dropFirst() {
        case "", "IB": base = 1024
        case "B": base = 1000
        default: return nil
        }
        return (0...power).reduce(1) { product, _ in product * base }
    }
}
