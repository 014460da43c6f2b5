import ArgumentParser
import Foundation
import Sallyport
import SallyportStorage

/// The options for the cookies of requests.
struct CookieOptions: ParsableArguments {
    @Option(
        name: [.customShort("b"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A cookie for this request, or a Netscape cookie file, which is only read. (repeatable)",
            valueName: "name=value|file"
        ),
        completion: .file()
    )
    var cookie: [String] = []

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp(
            "A Netscape cookie file: read if it exists, and written afterwards.",
            valueName: "file"
        ),
        completion: .file()
    )
    var cookieJar: String?

    func validate() throws {
        if cookieJar?.isEmpty == true { throw ValidationError("--cookie-jar needs the name of a file.") }
    }

    func apply(to request: inout HttpRequest) {
        for cookie in cookie where cookie.contains("=") { request.setCookie(cookie: cookie) }
    }

    /// Returns a cookie jar with the cookies of the files, if there are any.
    ///
    /// - Throws: A failure that names a file that cannot be read, or could not be written afterwards.
    func makeJar() throws(CommandFailure) -> CookieJar {
        let jar = CookieJar()
        // For curl, an empty name enables cookies, which are always enabled here.
        for file in cookie where !file.contains("=") && !file.isEmpty {
            guard FileManager.default.fileExists(atPath: file) else {
                throw CommandFailure(
                    .unreadableInput,
                    "there is no cookie file \(file); a cookie needs a value, as in --cookie \(file)=1"
                )
            }
            try load(file, into: jar)
        }
        guard let cookieJar else { return jar }
        if FileManager.default.fileExists(atPath: cookieJar) { try load(cookieJar, into: jar) }
        try WriteFailure.checkFolder(of: "the cookie file", cookieJar)
        return jar
    }

    private func load(_ file: String, into jar: CookieJar) throws(CommandFailure) {
        _ = try InputFile(file)
        do {
            try jar.load(from: URL(fileURLWithPath: file))
        } catch {
            throw CommandFailure(.unreadableInput, "\(file): \(error)")
        }
    }

    func save(_ jar: CookieJar) throws(CommandFailure) {
        guard let cookieJar else { return }
        do throws(FileSystemError) {
            try PrivateFile.replace(URL(fileURLWithPath: cookieJar), with: Data(jar.netscapeText.utf8))
        } catch {
            throw WriteFailure.of("the cookie file", cookieJar, error)
        }
    }
}
