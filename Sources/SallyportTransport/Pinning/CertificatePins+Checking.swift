import Foundation

extension CertificatePins {
    /// Returns a Boolean value that indicates whether a host, as in ``Origin/host``, has enforced pins, expired or not.
    func requiresMatch(of host: String) -> Bool {
        entries.contains { $0.enforcement == .enforced && $0.hosts.matches(host) }
    }

    /// Returns a Boolean value that indicates whether a host has pins, enforced or not.
    package func hasPins(for host: String) -> Bool {
        entries.contains { $0.hosts.matches(host) }
    }

    /// Returns the indices of the entries for a host. Hosts with the same indices have the same pins.
    package func positions(for host: String) -> [Int] {
        entries.indices.filter { entries[$0].hosts.matches(host) }
    }

    /// Refuses the response of a host with enforced pins if its certificates have not been compared with them.
    ///
    /// - Throws: ``NetworkError/pinMismatch(_:)``.
    package func checkCompared(_ hasCompared: Bool, for host: String) throws(NetworkError) {
        guard !hasCompared, requiresMatch(of: host) else { return }
        throw .pinMismatch(
            NetworkFailure(
                "the system connected to \(host), which has pins, without presenting its certificates",
                phase: .tls,
                advice: "use one client for the host, as the system resumes TLS sessions of other clients"
            )
        )
    }

    /// Refuses a call to a host with enforced pins before connecting if the pins have all expired, or if the call uses plain HTTP, in
    /// which a server presents no certificate.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``.
    package func checkCall(to origin: Origin, at time: Date = .now) throws(NetworkError) {
        if entries.isEmpty { return }
        if origin.scheme == .https { return try checkExpiry(for: origin.host, at: time) }
        guard requiresMatch(of: origin.host) else { return }
        throw .invalidRequest(
            NetworkFailure(
                "\(origin.host) has pins, and over plain HTTP it presents no certificate to compare with them",
                advice: "use https, or remove the pins of the host"
            )
        )
    }

    /// Refuses a call to a host if its enforced pins have all expired.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` which states the expiry.
    package func checkExpiry(for host: String, at time: Date = .now) throws(NetworkError) {
        guard !entries.isEmpty else { return }
        let enforced = entries.filter { $0.enforcement == .enforced && $0.hosts.matches(host) }
        guard !enforced.isEmpty, enforced.allSatisfy({ $0.isExpired(at: time) }) else { return }
        let last = enforced.compactMap(\.expiry).max().map { $0.formatted(.iso8601) } ?? ""
        throw .invalidRequest(
            NetworkFailure("all pins for \(host) expired on \(last)", advice: "update the app, or its pins")
        )
    }

    /// Compares a validated chain with the pins of its host.
    ///
    /// - Parameters:
    ///   - host: The host that was called.
    ///   - chain: Returns the chain from the server's certificate to the root. It is called only if the host has pins.
    /// - Throws: ``NetworkError/pinMismatch(_:)``.
    package func check(
        _ host: String,
        at time: Date = .now,
        chain: () throws(NetworkError) -> [PinMismatch.Certificate]
    ) throws(NetworkError) {
        guard hasPins(for: host) else { return }
        // The pins may have expired since the call began.
        try checkExpiry(for: host, at: time)
        let chain = try chain()
        for enforcement in [Enforcement.reportOnly, .enforced] {
            let expected = entries.filter { $0.enforcement == enforcement && $0.applies(to: host, at: time) }
                .flatMap(\.pins)
            if expected.isEmpty || chain.contains(where: { expected.contains($0.pin) }) { continue }
            let isEnforced = enforcement == .enforced
            let mismatch = PinMismatch(host: host, expected: expected, chain: chain, isEnforced: isEnforced)
            onMismatch?(mismatch)
            if isEnforced { throw NetworkError(of: mismatch) }
        }
    }
}

extension NetworkError {
    fileprivate init(of mismatch: PinMismatch) {
        self = .pinMismatch(
            NetworkFailure(
                mismatch.description,
                phase: .tls,
                advice:
                    "if the server's keys were changed on purpose, update the pins; otherwise the connection is intercepted"
            )
        )
    }
}
