import SallyportTransport

/// A TLS alert with which the server ended the connection (RFC 8446, section 6.2).
///
/// In TLS 1.3 the handshake is complete for the client before the server has checked the client's certificate, so that
/// the alert for a certificate can follow the request.
struct TLSAlert {
    /// The name in lower case, such as `unknown ca`.
    private let name: String

    /// Returns `nil` for an error other than an alert of the server.
    init?(_ error: any Error) {
        guard let reason = error.reasonInLibrary, let start = reason.firstRange(of: " alert ")?.upperBound else {
            return nil
        }
        name = String(reason[start...])
    }

    /// `true` if the server requires a client certificate, or refused the client's certificate.
    var isAboutClientCertificate: Bool {
        switch name {
        case "certificate required", "bad certificate", "unsupported certificate", "certificate revoked",
            "certificate expired", "certificate unknown", "unknown ca", "access denied":
            true
        default: false
        }
    }

    /// The reason as a clause that follows a colon.
    var reason: String {
        if name == "certificate required" { return "the server requires a client certificate" }
        let alert = "the TLS alert \"\(name)\""
        return isAboutClientCertificate
            ? "the server refused the client's certificate with \(alert)" : "the server sent \(alert)"
    }

    /// Advice on what to do, if any is known.
    var advice: String? {
        if isAboutClientCertificate { return SettingAdvice.clientIdentity.rawValue }
        // Before TLS 1.3, it is also sent for a missing certificate.
        return name == "handshake failure" ? SettingAdvice.missingClientIdentity.rawValue : nil
    }
}

extension Error {
    /// BoringSSL's reason in lower case, without its source location, or `nil` for an error of another library.
    var reasonInLibrary: String? {
        let text = "\(self)"
        guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return nil }
        return text[start...].prefix { $0 != " " && $0 != "]" }.replacing("_", with: " ").lowercased()
    }
}
