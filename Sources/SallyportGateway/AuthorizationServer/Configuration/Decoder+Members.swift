import SallyportJOSE

extension Decoder {
    /// Throws an error for the first member of an object that is not known, so that a typing error does not disable a restriction.
    ///
    /// - Parameters:
    ///   - keys: The known members.
    ///   - name: The name of the object; `nil` for the whole configuration.
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` with the names of the member and of those that are known.
    func refuseUnknownMembers<Key>(_ keys: Key.Type, of name: String? = nil) throws
    where Key: CodingKey & CaseIterable & RawRepresentable<String> {
        let known = keys.allCases.map(\.rawValue)
        if let unknown = try [String: JsonValue](from: self).keys.sorted().first(where: { !known.contains($0) }) {
            throw GatewayError.invalidIdentity(
                "\(name.map { "\($0): " } ?? "")\"\(unknown)\" is unknown. Known members: \(known.joined(separator: ", "))."
            )
        }
    }
}
