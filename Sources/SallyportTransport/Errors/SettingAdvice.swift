/// Advice in errors that names a setting of the SDK.
///
/// A program with other settings, such as command-line options, can replace each text.
package enum SettingAdvice: String, CaseIterable, Sendable {
    case trustServer = "if the server is yours, add its certificate to the trust roots"
    case trustAuthority = "if the authority is yours, add its certificate to the trust roots"
    case trustMissingAuthority = "if you trust this root authority, add it to the trust roots"
    case trustFile = "install ca-certificates, or set a file as trust roots"
    case trustUnknownAuthority = "add its authority to the trust roots"
    case http1AtServer = "allow HTTP/1.1, or check that the server offers h2"
    case http1InHandshake = "if only HTTP/2 was offered, allow HTTP/1.1"
    case http1AtProxy = "allow HTTP/1.1, use https, or use a SOCKS proxy"
    case http1AfterInvalidResponse = "if it supports only HTTP/1.1, allow HTTP/1.1"
    case raiseTotal = "raise the total timeout if the server needs longer"
    case raiseTimeout = "interceptors, redirects and earlier attempts count too; raise the timeout if they need longer"
    case raiseStreamTimeout = "raise or omit its timeout; options.idleTimeout limits the time without data"
    case raiseRedirects = "raise the limit of redirects, or ask the server's operator for the reason"
    case raiseMaximumSize = "raise the maximum size"
    case allowRedirects = "allow redirects, or request the URL that the redirect leads to"
    case bothAddressFamilies = "allow both address families"
    case replayableBody = "use a body that is replayable, or make a request without a body first"
    case readableBody = "send the body as data or as a file"
    case sameJournal = "the same upload with the same journal resumes from there"
    case noDPoP = "disable DPoP for this server"
    case describeEndpoints = "check the issuer, or configure the server's endpoints manually"
    case completeMetadata = "the server does not support this, or its metadata has to be completed manually"
}
