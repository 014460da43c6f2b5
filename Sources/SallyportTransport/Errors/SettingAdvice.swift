/// Advice in errors that names a setting of the SDK.
///
/// A program with other settings, such as command-line options, can replace each text.
package enum SettingAdvice: String, CaseIterable, Sendable {
    case trustServer = "if the server is yours, give its certificate as a trust root"
    case trustAuthority = "if the authority is yours, give its certificate as a trust root"
    case trustMissingAuthority = "if this authority is a root of yours, give it as a trust root"
    case trustFile = "install ca-certificates, or give a file as trust roots"
    case trustUnknownAuthority = "give its authority as a trust root"
    case http1AtServer = "allow HTTP/1.1, or check that the server offers h2"
    case http1InHandshake = "if only HTTP/2 was offered, allow HTTP/1.1"
    case http1AtProxy = "allow HTTP/1.1, use https, or use a SOCKS proxy"
    case http1AfterForeignAnswer = "if it speaks HTTP/1.1 only, allow that"
    case raiseTotal = "raise the total timeout if the server needs longer"
    case raiseTimeout = "interceptors, redirects and earlier attempts count too; raise the timeout if they need longer"
    case raiseStreamTimeout = "raise or omit its timeout; options.idleTimeout limits the time without data"
    case raiseRedirects = "raise the limit of redirects, or ask the server's operator why"
    case raiseMaximumSize = "raise the maximum size"
    case allowRedirects = "allow redirects, or ask for the URL that it leads to"
    case replayableBody = "use a body that is replayable, or make a request without a body first"
    case readableBody = "send the body as data or as a file"
    case sameJournal = "the same upload with the same journal goes on from there"
    case noDPoP = "do without DPoP at this server"
    case describeEndpoints = "check the issuer, or describe the server's endpoints by hand"
    case completeMetadata = "the server does not offer this, or its metadata has to be completed by hand"
}
