import HTTPTypes

/// A method of HTTP: `.get`, `.post`, `.put`, `.patch`, `.delete`, `.head`, `.options` and so on.
public typealias HttpMethod = HTTPRequest.Method
