import ArgumentParser
import Foundation
import Sallyport

/// The pinned keys of servers.
struct PinOptions: ParsableArguments {
    @Option(
        name: .customLong("pin"),
        help: ArgumentHelp(
            """
            The pin of a key that the certificate chain of the host must contain; *.host and **.host are patterns. If a \
            host has several pins, one of them must match. (repeatable)
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

    /// Refuses pins that do not apply to the URL, because the user would assume that they protect the request.
    ///
    /// If redirects are followed, pins may apply to the host that a redirect leads to.
    func check(for url: String, followsRedirects: Bool) throws {
        guard !pins.isEmpty, !followsRedirects, let parsed = URL(string: url), let host = parsed.host else { return }
        guard pins.contains(where: { $0.host.matches(host) }) else {
            throw CommandFailure(.usage, "no --pin applies to \(host), the host of the URL")
        }
        guard parsed.scheme?.lowercased() == "https" else {
            throw CommandFailure(.usage, "--pin needs an https URL; without TLS there are no certificates")
        }
    }

    /// Returns curl's arguments for the pins. curl has one list of pins, which applies to the host of the URL.
    func curlArguments(for url: String) -> [String] {
        guard let host = URL(string: url)?.host else { return [] }
        let words = pins.filter { $0.host.matches(host) }
            .map { "\($0.pin)".replacing("sha256/", with: "sha256//", maxReplacements: 1) }
        return words.isEmpty ? [] : ["--pinnedpubkey", words.joined(separator: ";")]
    }
}

/// An argument with a pin, such as `api.example.com=sha256/…`.
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
