import ArgumentParser

/// Prints the environment variables that the command reads.
struct EnvironmentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "environment",
        abstract: "Prints the environment variables that sallyport reads.",
        discussion: text
    )

    /// The variables with their descriptions.
    private static var text: String {
        let variables = EnvironmentVariable.all.map { variable in
            "  \(variable.name)\n" + variable.lines.map { "      \($0)\n" }.joined()
        }
        return variables.joined() + "\nOptions take precedence. Unless stated, an empty variable counts as not set."
    }

    func run() { print(Self.text) }
}

/// An environment variable that the command reads.
struct EnvironmentVariable: Sendable {
    let name: String
    /// The description, in lines that fit on a terminal of 80 columns.
    let lines: [String]

    init(_ name: String, _ lines: String...) {
        self.name = name
        self.lines = lines
    }

    /// Returns the environment without the command's own variables and the password of a database, for another program such as a browser.
    static func withoutSecrets(_ environment: [String: String]) -> [String: String] {
        environment.filter { !$0.key.hasPrefix("SALLYPORT_") && $0.key != "PGPASSWORD" }
    }

    /// All variables. `Docs/environment.md` has the same ones.
    static let all = [
        EnvironmentVariable(
            "SALLYPORT_PROFILE",
            "The profile of commands without --profile, and of --auth without a name."
        ),
        EnvironmentVariable(
            "SALLYPORT_CONFIG",
            "The file of options for all commands that send requests, instead of",
            "sallyport.conf in the folder sallyport in XDG_CONFIG_HOME; empty for",
            "none."
        ),
        EnvironmentVariable(
            "SALLYPORT_PASSWORD",
            "The password for --user with a name only. Without it, the command asks",
            "at the terminal."
        ),
        EnvironmentVariable(
            "SALLYPORT_KEY_PASSWORD",
            "The password of the private key or PKCS #12 file of --cert, unless",
            "--key-password-file is used."
        ),
        EnvironmentVariable(
            "SALLYPORT_CLIENT_SECRET",
            "The client's secret for login, unless --client-secret-file is used."
        ),
        EnvironmentVariable(
            "SALLYPORT_STORE_KEY",
            "The key that encrypts stored tokens, sessions and passkeys: 32 bytes in",
            "base64, as from openssl rand -base64 32. While it is replaced, one key",
            "per line: the first encrypts, and all of them decrypt."
        ),
        EnvironmentVariable(
            "SALLYPORT_STORE_KEY_FILE",
            "The file with that key, if SALLYPORT_STORE_KEY is not set. Only its",
            "owner may read it, or only root may write it, as in /run/secrets."
        ),
        EnvironmentVariable(
            "SALLYPORT_STORE",
            "The URL of a PostgreSQL database that stores the logins of all profiles",
            "instead of files: postgres://user@host/database. libpq's variables, such",
            "as PGPASSWORD and PGSSLMODE, apply to it."
        ),
        EnvironmentVariable(
            "SALLYPORT_STORE_PASSWORD_FILE",
            "The file with the password for that database, as private as the file",
            "with the key."
        ),
        EnvironmentVariable(
            "SALLYPORT_STORE_SCHEMA",
            "The schema of the tables in that database, instead of sallyport."
        ),
        EnvironmentVariable("SALLYPORT_HOME", "The folder of the profiles, instead of sallyport in XDG_CONFIG_HOME."),
        EnvironmentVariable(
            "XDG_CONFIG_HOME",
            "The folder for configuration, which contains the folder sallyport with",
            "sallyport.conf and the profiles; $HOME/.config if it is not set or not",
            "an absolute path."
        ),
        EnvironmentVariable(
            "XDG_STATE_HOME",
            "The folder for state, which contains the folder sallyport with the queue",
            "and unfinished uploads; $HOME/.local/state if it is not an absolute",
            "path."
        ),
        EnvironmentVariable(
            "XDG_CACHE_HOME",
            "The folder for caches, which contains the folder sallyport with",
            "responses stored by --cache; $HOME/.cache if it is not set or not an",
            "absolute path."
        ),
        EnvironmentVariable(
            "HOME",
            "The home directory, with the .netrc of --netrc; that of the user",
            "database if it is not an absolute path."
        ),
        EnvironmentVariable(
            "http_proxy",
            "The proxy for http URLs, as in --proxy. As in curl, HTTP_PROXY is not",
            "read, because CGI servers set it from a request. --no-proxy disables all",
            "proxies."
        ),
        EnvironmentVariable("https_proxy", "The proxy for https URLs."),
        EnvironmentVariable("HTTPS_PROXY", "The proxy for https URLs, if https_proxy is not set."),
        EnvironmentVariable("all_proxy", "The proxy for URLs without one of the above."),
        EnvironmentVariable("ALL_PROXY", "The same, if all_proxy is not set."),
        EnvironmentVariable(
            "no_proxy",
            "The hosts, domains and networks to connect to without these proxies,",
            "separated by commas; * for all. --noproxy replaces it."
        ),
        EnvironmentVariable("NO_PROXY", "The same, if no_proxy is not set."),
        EnvironmentVariable(
            "CURL_CA_BUNDLE",
            "The file with the only certificate authorities to trust, as in --cacert,",
            "instead of those of the system. --insecure and the authorities of a",
            "login or a device take precedence."
        ),
        EnvironmentVariable("SSL_CERT_FILE", "The same, if CURL_CA_BUNDLE is not set."),
        EnvironmentVariable("NO_COLOR", "Disables colors, with any value."),
        EnvironmentVariable("COLUMNS", "The width of the terminal, if the system does not know it."),
        EnvironmentVariable("TERM", "With the value dumb, disables colors, progress bars and QR codes in", "color."),
        EnvironmentVariable(
            "BROWSER",
            "The command that opens the page of a login, or several separated by",
            "colons. By default, xdg-open or wslview in a graphical session."
        ),
        EnvironmentVariable("DISPLAY", "If one of these three is set, there is a graphical session with a", "browser."),
        EnvironmentVariable("WAYLAND_DISPLAY", "See DISPLAY."),
        EnvironmentVariable("WSL_DISTRO_NAME", "See DISPLAY."),
        EnvironmentVariable("PATH", "The folders of the program that opens the browser."),
        EnvironmentVariable(
            "NIO_SINGLETON_GROUP_LOOP_COUNT",
            "The number of threads for connections; by default, one for commands that",
            "send one request, and one for each core for all others."
        ),
    ]
}
