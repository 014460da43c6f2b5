extension HttpResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The request's line and the status, with secrets masked.
    public var description: String { "\(request) -> \(status)" }

    /// The same as ``description``, so that debugging shows no secret either.
    public var debugDescription: String { description }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["response": description], displayStyle: .struct) }
}
