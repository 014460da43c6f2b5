/// The encoding of the parameters of a ``ResourceRequest`` in its body.
///
/// GET, HEAD and DELETE have their parameters in the query, whatever the encoding.
public enum ParametersEncoding: String, Sendable, Hashable, CaseIterable {
    /// A JSON object (`application/json`).
    case JSON
    /// A form (`application/x-www-form-urlencoded`).
    ///
    /// The elements of an array have the name of the array, as in `tag=a&tag=b`, and the members of an object are named as in
    /// `user[name]=Ada`. `null` is an empty value. Arrays of arrays or objects are refused.
    case formURL
}
