import SallyportTransport

/// The command's options for the settings of the SDK.
extension SettingAdvice {
    /// The advice in terms of the command's options.
    private var inOptions: String {
        switch self {
        case .trustServer: "if the server is yours, pass its certificate with --cacert"
        case .trustAuthority: "if the authority is yours, pass its certificate with --cacert"
        case .trustMissingAuthority: "if you trust this root authority, pass its certificate with --cacert"
        case .trustFile: "install ca-certificates, or pass a file with --cacert"
        case .trustUnknownAuthority: "pass the certificate of its authority with --cacert"
        case .trustProxy: "if you trust the proxy, pass the certificate of its authority with --proxy-cacert"
        case .clientIdentity: "pass a certificate that the server accepts with --cert"
        case .missingClientIdentity: "if the server requires a client certificate, pass it with --cert"
        case .environmentProxy: "check the variable, or use --no-proxy"
        case .http1AtServer: "omit --http2-prior-knowledge, or check that the server offers h2"
        case .http1InHandshake: "omit --http2-prior-knowledge if you used it"
        case .http1AtProxy: "omit --http2-prior-knowledge, use https, or use a SOCKS proxy"
        case .http1AfterInvalidResponse: "if the server supports only HTTP/1.1, omit --http2-prior-knowledge"
        case .raiseTotal: "raise --timeout if the server needs longer"
        case .raiseTimeout: "redirects and earlier attempts count too; raise --timeout if they need longer"
        case .raiseStreamTimeout: "raise or omit --timeout; --idle-timeout limits the time without data"
        case .raiseRedirects: "raise --follow, or ask the server's operator for the reason"
        case .raiseMaximumSize: "raise --max-filesize"
        case .raiseHeadLimits: "if the server is trusted, raise --limit head-size or --limit head-fields"
        case .raiseDecodingLimits: "if the server is trusted, raise --limit decoded-size, or omit --compressed"
        case .raiseInformationalLimit: "if the server is trusted, raise --limit informational-responses"
        case .raiseBodyLimit: "raise --limit body-size"
        case .raiseLineSize: "raise --limit line-size, as in --limit line-size=16M"
        case .raiseEventSize: "raise --limit event-size, as in --limit event-size=64M"
        case .raiseWait: "raise --timeout or --limit queue-time"
        case .raiseTimeoutOfCall: "run the command again, or raise --timeout"
        case .otherCoding: "omit --compressed, or request another coding with -H 'Accept-Encoding: gzip'"
        case .decodeEvents:
            "request no coding or another one: omit -H Accept-Encoding, or use -H 'Accept-Encoding: identity'"
        case .allowPlainHTTP: "use https, because others could read the token"
        case .refuseRedirects: "correct the URL at the server, or omit -L to see the redirect"
        case .tryHTTP1: "use --http1.1 if this persists"
        case .otherKeyLog: "choose another file, or omit --key-log"
        case .setIdentityPassword: "use --key-password-file, or set SALLYPORT_KEY_PASSWORD"
        case .checkIdentityPassword: "check the password of --key-password-file or SALLYPORT_KEY_PASSWORD"
        case .allowRedirects: "use -L, or request the URL that the redirect leads to"
        case .bothAddressFamilies: "omit -4 and -6"
        case .replayableBody: "pass the body in a file, as in --body @file"
        case .replayableRedirect: "pass the body in a file, as in --body @file"
        case .newBodyStream: "pass the body in a file, as in --body @file"
        case .readableBody: "pass the body in a file, as in --body @file"
        case .sameJournal: "run the same command again to resume"
        case .signInWithBrowser: "the session may have ended, or the user must consent; log in without --journey"
        case .noDPoP: "log in with --no-dpop"
        case .http1Required: "use --http1.1"
        case .raiseTotalOfBody: "raise --timeout, which includes the body"
        case .otherTokenType: "if the server means bearer tokens, log in with --token-type and this type"
        case .missingTokenType: "if the tokens of the server are bearer tokens, log in with --token-type none"
        case .clockSkew: "correct the clock that is wrong, or log in with a longer --clock-skew"
        case .issuerTemplate:
            "if you trust all tenants of this server, log in with --issuer-template and the issuer in the metadata"
        case .describeEndpoints: "check the issuer"
        case .setRedirectURI: "use --redirect-uri"
        case .completeMetadata: "the server does not support this"
        }
    }

    /// All advice. One text can begin like another one.
    private static let longestFirst = allCases.sorted { $0.rawValue.utf8.count > $1.rawValue.utf8.count }

    /// Returns an error's text, with advice about options of the command instead of advice about settings of the SDK.
    static func inOptions(_ text: String) -> String {
        longestFirst.reduce(text) { $0.replacing($1.rawValue, with: $1.inOptions) }
    }
}
