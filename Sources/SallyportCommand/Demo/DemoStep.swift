import Sallyport

/// One step of the demo.
struct DemoStep: Sendable {
    /// What it shows.
    let title: String
    /// Does it, checks what came of it, and says so in a few words.
    let run: @Sendable (DemoStage) async throws -> String

    /// The steps, in order.
    static let all: [DemoStep] = [
        .get,
        .postOfJson,
        .form,
        .interceptor,
        .digest,
        .cookies,
        .refusedRedirect,
        .followedRedirect,
        .download,
        .killedDownload,
        .changedFile,
        .upload,
        .typedCall,
        .typedFailure,
        .refusedCertificate,
        .refusedPin,
        .timeout,
        .signIn,
        .protectedCall,
        .expiredToken,
        .actionInterceptor,
        .revoked,
        .replay,
    ]
}

/// What a step found to be otherwise than it should be.
struct DemoMismatch: Error, CustomStringConvertible {
    let description: String
}

/// Ends a step unless a condition holds.
func require(_ condition: Bool, _ expectation: String) throws {
    if !condition { throw DemoMismatch(description: "expected \(expectation)") }
}

/// What is there; ends a step if it is not.
func require<Value>(_ value: Value?, _ expectation: String) throws -> Value {
    guard let value else { throw DemoMismatch(description: "expected \(expectation)") }
    return value
}
