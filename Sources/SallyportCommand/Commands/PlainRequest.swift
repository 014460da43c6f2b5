import ArgumentParser

/// Requests with only a method and a URL, such as `sallyport get https://example.com`. They do not need the argument parser.
///
/// For each type of options, the argument parser asks the Swift runtime for several protocol conformances, and for each answer the
/// runtime examines all conformances of the program. This takes almost half of the time of a command that sends a short request.
enum PlainRequest {
    /// Returns the command for the name of a method and an http or https URL; `nil` for other arguments, which have to be parsed.
    static func command(for arguments: [String]) -> (any AsyncParsableCommand & RequestRunOptions)? {
        guard arguments.count == 2, let url = arguments.last, url.hasPrefix("http://") || url.hasPrefix("https://")
        else { return nil }
        let address = RequestURL(url)
        return switch arguments[0] {
        case "get": RequestCommand<GetMethod>(address)
        case "head": RequestCommand<HeadMethod>(address)
        case "post": RequestCommand<PostMethod>(address)
        case "put": RequestCommand<PutMethod>(address)
        case "patch": RequestCommand<PatchMethod>(address)
        case "delete": RequestCommand<DeleteMethod>(address)
        case "options": RequestCommand<OptionsMethod>(address)
        default: nil
        }
    }
}

extension RequestCommand {
    /// Creates the command that the argument parser returns for a URL without options.
    ///
    /// Each option needs a value here, because reading one without a value ends the process. The tests compare the command with the one of
    /// the argument parser.
    fileprivate init(_ url: RequestURL) {
        self.init()
        address = url
        head = options {
            $0.header = []
            $0.query = []
        }
        content = options {
            $0.json = nil
            $0.form = []
            $0.part = []
            $0.body = nil
            $0.contentType = nil
        }
        credentials = options {
            $0.user = nil
            $0.netrc = false
            $0.netrcFile = nil
            $0.bearerFile = nil
            $0.auth = nil
        }
        scheme = options {
            $0.basic = false
            $0.digest = false
        }
        destination = options {
            $0.include = false
            $0.output = nil
        }
        output = options {
            $0.compressed = false
            $0.raw = false
            $0.verbose = false
            $0.trace = false
            $0.fail = false
            $0.curl = false
            $0.showSecrets = false
        }
        cache = options { $0.cache = false }
        cookies = options {
            $0.cookie = []
            $0.cookieJar = nil
        }
        connection = options {
            $0.timeout = nil
            $0.connectTimeout = nil
            $0.follow = nil
            $0.resolve = []
            $0.version = nil
            $0.transport = nil
        }
        retries = options {
            $0.retry = nil
            $0.retryDelay = nil
            $0.retryMaxTime = nil
            $0.retryAllErrors = false
            $0.retryAllMethods = false
            $0.idempotencyKey = false
        }
        proxy = options {
            $0.proxy = nil
            $0.userFile = nil
            $0.exceptions = nil
        }
        security = options {
            $0.authorities = nil
            $0.certificate = nil
            $0.key = nil
            $0.keyLog = nil
        }
        pins = options { $0.pins = [] }
    }
}

private func options<Options: ParsableArguments>(_ setDefaults: (inout Options) -> Void) -> Options {
    var options = Options()
    setDefaults(&options)
    return options
}
