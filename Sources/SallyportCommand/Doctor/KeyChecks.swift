import SallyportJOSE

/// What is wrong with a server's keys.
enum KeyChecks {
    static func findings(_ keys: JsonWebKeySet) -> [Finding] {
        let signing = keys.keys.filter { $0.use ?? "sig" == "sig" }
        if signing.isEmpty {
            return [.problem("The server has no key that signs.", "No id_token of it can be verified.")]
        }
        let count = signing.count == 1 ? "1 key that signs" : "\(signing.count) keys that sign"
        var findings = [Finding.good("The server has \(count).")]
        let names = signing.compactMap(\.keyID)
        if Set(names).count < names.count {
            findings.append(
                .problem("Several of the server's keys have one name.", "Have its operator name them apart.")
            )
        }
        if names.count < signing.count, signing.count > 1 {
            findings.append(
                .warning("Not all of the server's keys have a name.", "Tokens without one are tried by kind.")
            )
        }
        if keys.keys.contains(where: { $0.members["d"] != nil || $0.members["k"] != nil }) {
            findings.append(
                .problem("The server publishes a secret key.", "Anybody can sign as it: its operator must know.")
            )
        }
        return findings
    }
}
