import ArgumentParser
import Foundation
import Sallyport
import SallyportStorage

/// The options for the cookies of requests.
struct CookieOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A cookie for this request. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var cookie: [NameAndValue] = []

    @Option(
        help: ArgumentHelp(
            "A Netscape cookie file: read if it exists, and written afterwards.",
            valueName: "file"
        ),
        completion: .file()
    )
    var cookieJar: String?

    func apply(to request: inout HttpRequest) {
        for cookie in cookie { request.setCookie(cookie: "\(cookie.name)=\(cookie.value)") }
    }

    /// Returns a cookie jar with the cookies of the file, if there is one.
    ///
    /// - Throws: A failure that names a file that cannot be read, or could not be written afterwards.
    func makeJar() throws(CommandFailure) -> CookieJar {
        let jar = CookieJar()
        guard let cookieJar else { return jar }
        if FileManager.default.fileExists(atPath: cookieJar) {
            do {
                try jar.load(from: URL(fileURLWithPath: cookieJar))
            } catch {
                throw CommandFailure(.unreadableInput, "\(cookieJar): \(error)")
            }
        }
        try WriteFailure.checkFolder(of: "the cookie file", cookieJar)
        return jar
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
