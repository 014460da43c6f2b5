import Testing

/// Returns the name of an enumeration's case that has associated values, such as `timeout` for `NetworkError.timeout(…)`, or
/// the description of another value.
public func caseName(of value: Any) -> String { Mirror(reflecting: value).children.first?.label ?? "\(value)" }

extension Error {
    /// The name of the case of an error that is an enumeration; see ``caseName(of:)``.
    public var kind: String { caseName(of: self) }
}

/// Expects a closure to throw an error of a type, with a certain value of a property.
///
/// ```swift
/// expectError(\JoseError.reason, .key) { try SigningKey(publicKey) }
/// ```
///
/// - Returns: The error, for further expectations.
@discardableResult
public func expectError<Failure: Error, Value: Equatable>(
    _ property: KeyPath<Failure, Value> & Sendable,
    _ value: Value,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> some Any
) -> Failure? {
    let error = #expect(throws: Failure.self, sourceLocation: sourceLocation) { _ = try body() }
    if let error { #expect(error[keyPath: property] == value, "\(error)", sourceLocation: sourceLocation) }
    return error
}

/// Expects a closure to throw an error of a type, with a certain value of a property.
///
/// ```swift
/// await expectError(\NetworkError.kind, "timeout") { try await client.get("/slow") }
/// ```
///
/// - Returns: The error, for further expectations.
@discardableResult
public func expectError<Failure: Error, Value: Equatable>(
    _ property: KeyPath<Failure, Value> & Sendable,
    _ value: Value,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Any
) async -> Failure? {
    let error = await #expect(throws: Failure.self, sourceLocation: sourceLocation) { _ = try await body() }
    if let error { #expect(error[keyPath: property] == value, "\(error)", sourceLocation: sourceLocation) }
    return error
}
