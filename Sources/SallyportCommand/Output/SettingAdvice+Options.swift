import Sallyport

extension SettingAdvice {
    /// The same advice with the options of the command.
    private var inOptions: String {
        switch self {
        case .trustServer: "if the server is yours, give its certificate with --cacert"
        case .trustAuthority: "if the authority is yours, give its certificate with --cacert"
        case .trustMissingAuthority: "if this authority is a root of yours, give it with --cacert"
        case .trustFile: "install ca-certificates, or give a file with --cacert"
        case .trustUnknownAuthority: "give its authority with --cacert"
        case .http1AtServer: "leave --http2 out, or check that the server offers h2"
        case .http1InHandshake: "leave --http2 out, if it was given"
        case .http1AtProxy: "leave --http2 out, use https, or use a SOCKS proxy"
        case .http1AfterForeignAnswer: "if it speaks HTTP/1.1 only, leave --http2 out"
        case .raiseTotal: "raise --timeout if the server needs longer"
        case .raiseTimeout: "redirects and earlier attempts count too; raise --timeout if they need longer"
        case .raiseStreamTimeout: "raise --timeout, or leave it out; --silence limits how long nothing may come"
        case .raiseRedirects: "raise --follow, or ask the server's operator why"
        case .raiseMaximumSize: "raise --max-filesize"
        case .allowRedirects: "give --follow, or ask for the URL that it leads to"
        case .replayableBody: "give the body in a file, as --body @file"
        case .readableBody: "give the body in a file, as --body @file"
        case .sameJournal: "the same command goes on from there"
        case .noDPoP: "log in with --no-dpop"
        case .describeEndpoints: "check the issuer"
        case .completeMetadata: "the server does not offer this"
        }
    }

    /// Returns an error's text with the options of the command in place of the SDK's settings.
    static func inOptions(_ text: String) -> String {
        allCases.reduce(text) { $0.replacing($1.rawValue, with: $1.inOptions) }
    }
}
