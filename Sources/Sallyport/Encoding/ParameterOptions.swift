import Foundation

/// How values are written as the names and values of a query or a form.
///
/// ```swift
/// var options = ParameterOptions()
/// options.arrays = .brackets
/// options.dates = .seconds
/// ```
public struct ParameterOptions: Sendable {
    /// How the elements of an array are named.
    public enum Arrays: Sendable, Hashable {
        /// By the array's name each: `a=1&a=2`.
        case repeated
        /// With empty brackets: `a[]=1&a[]=2`.
        case brackets
        /// With their number: `a[0]=1&a[1]=2`. This alone can hold objects and arrays.
        case indexed
        /// As one value: `a=1,2`. An element that holds a comma is an error.
        case comma
    }

    /// How the members of an object inside another are named.
    public enum Nesting: Sendable, Hashable {
        /// `user[name]=Ada`.
        case brackets
        /// `user.name=Ada`.
        case dots
    }

    /// How booleans are written.
    public enum Booleans: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// How dates are written.
    public enum Dates: Sendable {
        /// `2025-01-01T00:00:00Z`, as RFC 3339 has it; a fraction of a second is left out.
        case iso8601
        /// Seconds since 1970, with a fraction if there is one.
        case seconds
        /// Whole milliseconds since 1970.
        case milliseconds
        /// As a closure writes them.
        case custom(@Sendable (Date) -> String)

        /// As a formatter writes them. It must not be changed afterwards.
        public static func formatted(_ formatter: DateFormatter) -> Dates {
            .custom { formatter.string(from: $0) }
        }
    }

    /// What becomes of members that are `nil`.
    public enum Nils: Sendable, Hashable {
        /// They are left out.
        case omitted
        /// They are empty: `a=`.
        case empty
    }

    /// The order of the names.
    public enum KeyOrder: Sendable, Hashable {
        /// As the type encodes them. Those of a dictionary, which has no order, are sorted.
        case declared
        /// Sorted, those inside of others too.
        case sorted
    }

    /// How the elements of an array are named; repeated unless set.
    public var arrays = Arrays.repeated

    /// How the members of an object inside another are named; with brackets unless set.
    public var nesting = Nesting.brackets

    /// How booleans are written; as words unless set.
    public var booleans = Booleans.words

    /// How dates are written; by ISO 8601 unless set.
    public var dates = Dates.iso8601

    /// What becomes of members that are `nil`; they are left out unless set.
    public var nils = Nils.omitted

    /// The order of the names; as declared unless set.
    public var keyOrder = KeyOrder.declared

    /// How deep values may stand in others; 32 unless set. What is deeper is an error.
    public var maximumDepth = 32

    /// Makes options with the defaults.
    public init() {}
}
