import ArgumentParser
import Foundation
import Sallyport

/// The keys that servers have to have.
struct PinOptions: ParsableArguments {
    @Option(
        name: .customLong("pin"),
        help: ArgumentHelp(
            """
            The pin of a key that has to be in the host's chain of certificates; *.host and **.host are patterns. Of \
            several pins for a host one has to match. (repeatable)
            """,
            valueName: "host=sha256/…"
        ),
        transform: PinArgument.init
    )
    var pins: [PinArgument] = []

    func certificatePins() throws(NetworkError) -> CertificatePins {
        var pins = CertificatePins()
        for pin in self.pins { try pins.pin(pin.host, to: [pin.pin]) }
        return pins
    }

    /// Refuses pins of which none is for the host of the URL, as they would be taken for a protection.
    ///
    /// Where redirects are followed they may be for a host that these lead to.
    func check(for url: String, followsRedirects: Bool) throws {
        guard !pins.isEmpty, !followsRedirects, let parsed = URL(string: url), let host = parsed.host else { return }
        guard pins.contains(where: { $0.host.matches(host) }) else {
            throw CommandFailure(.usage, "no --pin is for \(host), the host of the URL")
        }
        guard parsed.scheme?.lowercased() == "https" else {
            throw CommandFailure(.usage, "--pin needs a URL of https; without TLS there are no certificates")
        }
    }

    /// curl has one list of pins, for the host of the URL.
    func curlWords(for url: String) -> [String] {
        guard let host = URL(string: url)?.host else { return [] }
        let words = pins.filter { $0.host.matches(host) }
            .map { "\($0.pin)".replacing("sha256/", with: "sha256//", maxReplacements: 1) }
        return words.isEmpty ? [] : ["--pinnedpubkey", words.joined(separator: ";")]
    }
}

/// A pin on the command line: `api.example.com=sha256/…`.
struct PinArgument: Sendable {
    let host: HostPattern
    let pin: CertificatePin

    init(_ argument: String) throws {
        guard let separator = argument.firstIndex(of: "="), !argument.hasPrefix("sha256/") else {
            throw ValidationError("A pin needs a host and an equals sign before it, as in api.example.com=sha256/….")
        }
        do throws(NetworkError) {
            host = try HostPattern(String(argument[..<separator]))
            pin = try CertificatePin(String(argument[argument.index(after: separator)...]))
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
