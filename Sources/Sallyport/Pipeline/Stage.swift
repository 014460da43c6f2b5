/// One stage of the pipeline, and the requests that have a use for it.
///
/// Each stage that a call is in takes memory and time until it returns, even one that does nothing: so a request passes by
/// those that have nothing to do for it. It is an object, so that to look at it costs no copy of it.
final class Stage: Sendable {
    typealias Condition = @Sendable (HttpRequest) -> Bool

    let interceptor: any Interceptor
    /// `nil` for all requests.
    let condition: Condition?

    init(_ interceptor: any Interceptor, if condition: Condition?) {
        self.interceptor = interceptor
        self.condition = condition
    }

    func isFor(_ request: HttpRequest) -> Bool { condition.map { $0(request) } ?? true }
}

extension [Stage] {
    /// Adds a stage, for those requests that fulfil the condition, if there is one.
    mutating func add(_ interceptor: some Interceptor, if condition: Stage.Condition? = nil) {
        append(Stage(interceptor, if: condition))
    }

    /// Adds stages for all requests.
    mutating func add(_ interceptors: [any Interceptor]) {
        for interceptor in interceptors { add(interceptor) }
    }
}
