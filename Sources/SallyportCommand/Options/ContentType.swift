import Sallyport

extension HttpRequest {
    /// A Boolean value that indicates whether the body has parts and its media type contains their boundary.
    var isMultipart: Bool {
        let type = getHeader(name: NetworkConstants.headerContentType)?.lowercased() ?? ""
        return type.hasPrefix("multipart/") && type.contains("boundary=")
    }

    /// Removes the boundary from the media type of a multipart body, and `multipart/form-data` as well, which curl sends anyway.
    mutating func removeBoundary() {
        let name = NetworkConstants.headerContentType
        let type = getHeader(name: name)?.split(separator: ";").dropLast().joined(separator: ";") ?? ""
        if type.isEmpty || type == NetworkConstants.contentTypeMultipart {
            removeHeader(name: name)
        } else {
            setHeader(name: name, value: type)
        }
    }

    /// Sets the media type of the body. As in curl, a multipart form keeps its boundary, which replaces one in the media type.
    ///
    /// - Throws: A failure if the body is multipart, but the media type is not.
    mutating func setContentType(_ type: String) throws(CommandFailure) {
        let name = NetworkConstants.headerContentType
        guard isMultipart, let own = getHeader(name: name), let boundary = own.split(separator: ";").last else {
            return setHeader(name: name, value: type)
        }
        let parts = type.split(separator: ";").map { $0.drop { $0.isWhitespace } }
        guard parts.first?.lowercased().hasPrefix("multipart/") == true else {
            throw CommandFailure(
                .usage,
                """
                the body is a multipart form, whose Content-Type begins with multipart/ and contains its boundary; omit the \
                other Content-Type
                """
            )
        }
        let kept = parts.filter { !$0.lowercased().hasPrefix("boundary=") }
        setHeader(name: name, value: kept.joined(separator: "; ") + ";" + boundary)
    }
}
