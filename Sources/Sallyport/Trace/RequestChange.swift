import SallyportTransport

/// A change that a stage made to a request. Secrets are masked.
public struct RequestChange: Sendable, Hashable, Encodable {
    /// The parts of a request.
    public enum Part: String, Sendable, Hashable, Encodable {
        /// The method.
        case method
        /// The URL without its query.
        case url
        /// A parameter of the query, set in the URL or with ``HttpRequest/setParameter(name:value:)``.
        case query
        /// A header.
        case header
        /// A cookie of the `Cookie` header.
        case cookie
        /// The body, described by its type and size.
        case body
        /// A timeout.
        case timeout
    }

    /// The kinds of change.
    public enum Kind: String, Sendable, Hashable {
        /// The part was added.
        case added = "+"
        /// The part was removed.
        case removed = "-"
        /// The part was replaced.
        case replaced = "~"
    }

    /// The part that was changed.
    public let part: Part

    /// The name of a parameter, header, cookie or timeout; `nil` for other parts.
    public let name: String?

    /// The previous value; `nil` if the part was added.
    public let old: String?

    /// The new value; `nil` if the part was removed.
    public let new: String?

    /// The kind of the change.
    public var kind: Kind { old == nil ? .added : new == nil ? .removed : .replaced }
}

extension RequestChange: CustomStringConvertible {
    /// The change as a line of a diff, such as `+ header Accept: */*` or `~ method GET -> POST`.
    public var description: String {
        let location = name.map { "\(part.rawValue) \($0)\(separator)" } ?? "\(part.rawValue) "
        return "\(kind.rawValue) \(location)" + [old, new].compactMap(\.self).joined(separator: " -> ")
    }

    private var separator: String {
        part == .query || part == .cookie ? "=" : ": "
    }
}

extension RequestChange {
    /// The maximum number of characters of a text.
    private static let maximumLength = 200

    /// Returns the change with the values of secrets masked, and with texts on one line and of limited length.
    func shown(_ masker: SecretMasker) -> RequestChange {
        func shown(_ text: String?) -> String? {
            text.map { VisibleText.line(masker.masked($0), longest: Self.maximumLength) }
        }
        return RequestChange(part: part, name: shown(name), old: shown(old), new: shown(new))
    }

    /// Returns the changes from one request to another.
    static func all(from old: HttpRequest, to new: HttpRequest) -> [RequestChange] {
        let (old, new) = (RequestSnapshot(old), RequestSnapshot(new))
        var changes: [RequestChange] = []
        if old.method != new.method {
            changes.append(RequestChange(part: .method, name: nil, old: old.method, new: new.method))
        }
        if old.url != new.url {
            changes.append(RequestChange(part: .url, name: nil, old: old.url.displayText, new: new.url.displayText))
        }
        changes += all(.query, from: old.query, to: new.query)
        changes += all(.header, from: old.headers, to: new.headers)
        changes += all(.cookie, from: old.cookies, to: new.cookies)
        if old.body != new.body {
            let (oldText, newText) = (old.body?.displayText, new.body?.displayText)
            changes.append(RequestChange(part: .body, name: nil, old: oldText, new: newText))
        }
        return changes + all(.timeout, from: old.timeouts, to: new.timeouts)
    }

    /// Returns the changes of named values. The order of different names is ignored.
    private static func all(_ part: Part, from old: [SnapshotValue], to new: [SnapshotValue]) -> [RequestChange] {
        var compared: Set<String> = []
        return (old + new).flatMap { value -> [RequestChange] in
            guard compared.insert(value.key).inserted else { return [] }
            return all(part, of: value.name, from: old.values(of: value.key), to: new.values(of: value.key))
        }
    }

    /// Returns the changes of the values of one name. All are masked if one of them is secret.
    private static func all(
        _ part: Part,
        of name: String,
        from old: [SnapshotValue],
        to new: [SnapshotValue]
    ) -> [RequestChange] {
        let isSecret = (old + new).contains(where: \.isSecret)
        func displayText(_ value: SnapshotValue) -> String { isSecret ? Redaction.mask : value.displayText }
        let removed = old.without(new)
        let added = new.without(old)
        if removed.count == 1, added.count == 1 {
            return [RequestChange(part: part, name: name, old: displayText(removed[0]), new: displayText(added[0]))]
        }
        return removed.map { RequestChange(part: part, name: name, old: displayText($0), new: nil) }
            + added.map { RequestChange(part: part, name: name, old: nil, new: displayText($0)) }
    }
}

extension [SnapshotValue] {
    fileprivate func values(of key: String) -> [SnapshotValue] {
        filter { $0.key == key }
    }

    /// Returns the values that remain after removing each of the others once.
    fileprivate func without(_ others: [SnapshotValue]) -> [SnapshotValue] {
        var rest = others.map(\.value)
        return filter { value in
            guard let index = rest.firstIndex(of: value.value) else { return true }
            rest.remove(at: index)
            return false
        }
    }
}
