/// The names under which secrets travel.
enum SecretNames {
    /// Whether what stands under a name, of a header, a parameter or a JSON member, is to be taken for a secret.
    static func contains(_ name: some StringProtocol) -> Bool {
        let letters = String(name.lowercased().filter { !"-_. []".contains($0) })
        return whole.contains(letters) || parts.contains { letters.contains($0) }
    }

    /// Names that are secret as they are, without their dashes and underscores.
    private static let whole: Set<String> = [
        "code", "otp", "totp", "pin", "pass", "pwd", "auth", "jwt", "key", "sig", "authid", "xauth", "dpop", "mfacode",
        "usercode", "devicecode", "samlresponse", "iplanetdirectorypro", "authenticationinfo",
    ]

    /// Parts that make any name secret.
    private static let parts = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey", "accesskey", "privatekey",
        "authkey", "masterkey", "subscriptionkey", "functionskey", "applicationkey", "pwd", "jwt", "otp", "pincode",
        "userpin", "authcode", "smscode", "verificationcode", "recoverycode", "assertion", "verifier", "credential",
        "signature", "cookie", "session", "authorization",
    ]
}
