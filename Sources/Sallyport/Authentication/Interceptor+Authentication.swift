extension Interceptor where Self == BasicAuthentication {
    /// Basic authentication; see ``BasicAuthentication``.
    ///
    /// - Parameters:
    ///   - user: The name.
    ///   - password: The password.
    ///   - origins: URLs of the servers that may see them, such as `https://api.example.com`.
    public static func basic(user: String, password: String, for origins: String...) -> Self {
        BasicAuthentication(user: user, password: password, for: origins)
    }
}

extension Interceptor where Self == DigestAuthentication {
    /// Digest authentication; see ``DigestAuthentication``.
    ///
    /// - Parameters:
    ///   - user: The name.
    ///   - password: The password.
    ///   - origins: URLs of the servers that may be answered, such as `https://api.example.com`.
    public static func digest(user: String, password: String, for origins: String...) -> Self {
        DigestAuthentication(user: user, password: password, for: origins)
    }
}
