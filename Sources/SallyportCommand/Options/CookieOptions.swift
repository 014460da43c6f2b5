import ArgumentParser
import Foundation
import Sallyport

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
        let folder = URL(fileURLWithPath: cookieJar).deletingLastPathComponent().path
        guard access(folder, W_OK) == 0 else {
            throw CommandFailure(.writeError, "the cookie file \(cookieJar) cannot be written: \(systemReason())")
        }
        return jar
    }

    func save(_ jar: CookieJar) throws(CommandFailure) {
        guard let cookieJar else { return }
        do {
            try jar.save(to: URL(fileURLWithPath: cookieJar))
        } catch {
            throw CommandFailure(.writeError, "\(error)")
        }
    }
}
