import SallyportTransport

extension Pipeline {
    /// Sends a request through the stages from a position on, and notes what each of them does to it.
    func run(
        _ request: HttpRequest,
        from position: Int,
        of call: Call,
        traced previous: TracedStage
    ) async throws(NetworkError) -> HttpResponse {
        previous.pass(request)
        guard let position = next(for: request, from: position) else {
            let attempt = previous.recorder.send(request)
            let response = try await exchange.send(request, of: call)
            previous.recorder.answer(response.status, to: attempt)
            return response
        }
        let stage = self[position]
        let traced = TracedStage(of: previous.recorder, named: stage.traceName, given: request)
        var call = call
        call.trace = traced
        do {
            let next = Next(pipeline: self, position: position + 1, call: call)
            let response = try await stage.intercept(request, next: next)
            traced.answer(response.status)
            return response
        } catch {
            throw failure(of: stage, error)
        }
    }
}
