import SallyportTransport

extension RequestChange {
    /// What was changed from one request to the next.
    static func all(from old: HttpRequest, to new: HttpRequest) -> [RequestChange] {
        let (old, new) = (RequestOutline(old), RequestOutline(new))
        var changes: [RequestChange] = []
        if old.method != new.method {
            changes.append(RequestChange(part: .method, name: nil, old: old.method, new: new.method))
        }
        if old.place != new.place {
            changes.append(RequestChange(part: .url, name: nil, old: old.place.shown, new: new.place.shown))
        }
        changes += all(.query, from: old.query, to: new.query)
        changes += all(.header, from: old.headers, to: new.headers)
        changes += all(.cookie, from: old.cookies, to: new.cookies)
        if old.body != new.body {
            changes.append(RequestChange(part: .body, name: nil, old: old.body?.shown, new: new.body?.shown))
        }
        return changes + all(.timeout, from: old.timeouts, to: new.timeouts)
    }

    /// Compares values by their names, without regard to the order of different names.
    private static func all(_ part: Part, from old: [OutlinedValue], to new: [OutlinedValue]) -> [RequestChange] {
        var compared: Set<String> = []
        return (old + new).flatMap { value -> [RequestChange] in
            guard compared.insert(value.key).inserted else { return [] }
            return all(part, of: value.name, from: old.values(of: value.key), to: new.values(of: value.key))
        }
    }

    /// Compares the values of one name. What is secret before or after is secret on both sides.
    private static func all(
        _ part: Part,
        of name: String,
        from old: [OutlinedValue],
        to new: [OutlinedValue]
    ) -> [RequestChange] {
        let isSecret = (old + new).contains(where: \.isSecret)
        func shown(_ value: OutlinedValue) -> String { isSecret ? Redaction.mask : value.shown }
        let removed = old.without(new)
        let added = new.without(old)
        if removed.count == 1, added.count == 1 {
            return [RequestChange(part: part, name: name, old: shown(removed[0]), new: shown(added[0]))]
        }
        return removed.map { RequestChange(part: part, name: name, old: shown($0), new: nil) }
            + added.map { RequestChange(part: part, name: name, old: nil, new: shown($0)) }
    }
}

extension [OutlinedValue] {
    fileprivate func values(of key: String) -> [OutlinedValue] {
        filter { $0.key == key }
    }

    /// The values that are not among others, each of which stands for one.
    fileprivate func without(_ others: [OutlinedValue]) -> [OutlinedValue] {
        var rest = others.map(\.value)
        return filter { value in
            guard let index = rest.firstIndex(of: value.value) else { return true }
            rest.remove(at: index)
            return false
        }
    }
}
