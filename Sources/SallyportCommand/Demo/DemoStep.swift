import Sallyport

/// One step of the demo.
struct DemoStep: Sendable {
    /// The title in the output.
    let title: String
    /// Runs the step, checks the result, and returns a short description of it.
    let run: @Sendable (DemoStage) async throws -> String

    /// The steps, in order.
    static let all: [DemoStep] = [
        .get,
        .postOfJson,
        .form,
        .interceptor,
        .digest,
        .cookies,
        .cache,
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
        .wrongPassword,
        .sessionTokens,
        .stepUp,
        .pushApproval,
        .passkey,
        .magicLink,
        .userResource,
        .implicitResource,
        .deviceResource,
        .openResource,
        .suspendedResource,
        .multipartResource,
        .unpinnedResource,
        .replayedResource,
        .tracedResource,
    ]
}

/// The error of a step that had an unexpected result.
struct DemoMismatch: Error, CustomStringConvertible {
    let description: String
}

/// Fails a step unless a condition is true.
func require(_ condition: Bool, _ expectation: String) throws {
    if !condition { throw DemoMismatch(description: "expected \(expectation)") }
}

/// Returns a value, or fails a step if it is `nil`.
func require<Value>(_ value: Value?, _ expectation: String) throws -> Value {
    guard let value else { throw DemoMismatch(description: "expected \(expectation)") }
    return value
}
