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

    private static let maximumFileSize = 16 << 20

    func validate() throws {
        if cookieJar?.isEmpty == true { throw ValidationError("--cookie-jar needs the name of a file.") }
        if cookieJar == "-" {
            throw ValidationError("--cookie-jar cannot write to standard output; specify the name of a file.")
        }
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
            try loadValidLines(of: file, into: jar)
        }
        guard let cookieJar else { return jar }
        if FileManager.default.fileExists(atPath: cookieJar) { try load(cookieJar, into: jar) }
        try WriteFailure.checkFolder(of: "the cookie file", cookieJar)
        return jar
    }

    /// Loads the cookies of a file that is only read. As in curl, other lines are ignored, but with a warning.
    private func loadValidLines(of file: String, into jar: CookieJar) throws(CommandFailure) {
        let text = String(decoding: try InputFile.contents(of: file, upTo: Self.maximumFileSize), as: UTF8.self)
        var ignored: [String] = []
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            do throws(CookieFileError) {
                try jar.load(netscapeText: String(Substring(line)))
            } catch .malformedLine(_, let problem) {
                ignored.append("line \(index + 1), which is not a cookie: \(problem)")
            } catch {
                throw CommandFailure(.unreadableInput, "\(file): \(error)")
            }
        }
        guard let first = ignored.first else { return }
        let count = ignored.count > 1 ? "\(ignored.count) lines are ignored, the first of them" : "ignored"
        StandardError.print("sallyport: warning: the cookie file \(file): \(count) \(first)")
    }

    /// Loads the cookie file that the command replaces when it ends. Refuses any file that is not a cookie file, because its content would
    /// be lost.
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
