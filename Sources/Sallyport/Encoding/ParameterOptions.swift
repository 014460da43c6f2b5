import Foundation

/// The options for encoding values as the names and values of a query or form.
///
/// ```swift
/// var options = ParameterOptions()
/// options.arrays = .brackets
/// options.dates = .seconds
/// ```
public struct ParameterOptions: Sendable {
    /// The encoding of arrays.
    public enum Arrays: Sendable, Hashable {
        /// Every element has the name of the array: `a=1&a=2`.
        case repeated
        /// The name is followed by empty brackets: `a[]=1&a[]=2`.
        case brackets
        /// The name is followed by the index: `a[0]=1&a[1]=2`. Only this encoding supports elements that are objects or arrays.
        case indexed
        /// The elements form one value: `a=1,2`. An element that contains a comma is an error.
        case comma
    }

    /// The names of the members of nested objects.
    public enum Nesting: Sendable, Hashable {
        /// `user[name]=Ada`.
        case brackets
        /// `user.name=Ada`.
        case dots
    }

    /// The encoding of Boolean values.
    public enum Booleans: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// The encoding of dates.
    public enum Dates: Sendable {
        /// The format of RFC 3339 without fractional seconds, such as `2025-01-01T00:00:00Z`.
        case iso8601
        /// The seconds since 1970, with fractional digits if there are any.
        case seconds
        /// The milliseconds since 1970, without fractional digits.
        case milliseconds
        /// The text that a closure returns.
        case custom(@Sendable (Date) -> String)

        /// Returns an encoding by a formatter, which must not be changed afterwards.
        public static func formatted(_ formatter: DateFormatter) -> Dates {
            .custom { formatter.string(from: $0) }
        }
    }

    /// The encoding of members that are `nil`.
    public enum Nils: Sendable, Hashable {
        /// They are omitted.
        case omitted
        /// They are empty: `a=`.
        case empty
    }

    /// The order of the names.
    public enum KeyOrder: Sendable, Hashable {
        /// The order that the type encodes them in. The keys of a dictionary, which has no order, are sorted.
        case declared
        /// Alphabetical order, including in nested objects.
        case sorted
    }

    /// The encoding of arrays. The default is ``Arrays/repeated``.
    public var arrays = Arrays.repeated

    /// The names of the members of nested objects. The default is ``Nesting/brackets``.
    public var nesting = Nesting.brackets

    /// The encoding of Boolean values. The default is ``Booleans/words``.
    public var booleans = Booleans.words

    /// The encoding of dates. The default is ``Dates/iso8601``.
    public var dates = Dates.iso8601

    /// The encoding of members that are `nil`. The default is ``Nils/omitted``.
    public var nils = Nils.omitted

    /// The order of the names. The default is ``KeyOrder/declared``.
    public var keyOrder = KeyOrder.declared

    /// The maximum depth of nested values. The default is 32. A deeper value is an error.
    public var maximumDepth = 32

    /// Creates the default options.
    public init() {}
}
