/// The source of the core that sends the calls of a client: a fixed core, or the core of the shared client at the time of a call.
struct CoreSource: Sendable {
    private let find: @Sendable () throws(ResourceError) -> ResourceCore

    /// The core of the client that ``ResourceClient/configure(_:stores:http:)`` has created.
    static let shared = CoreSource { () throws(ResourceError) in try ResourceClient.sharedCore() }

    /// Returns the source of one core.
    static func of(_ core: ResourceCore) -> CoreSource { CoreSource { () throws(ResourceError) in core } }

    private init(_ find: @escaping @Sendable () throws(ResourceError) -> ResourceCore) {
        self.find = find
    }

    /// Returns the core.
    ///
    /// - Throws: ``ResourceError/Reason/notConfigured``.
    func core() throws(ResourceError) -> ResourceCore { try find() }

    /// Sends a request and returns its response.
    func send(_ request: ResourceRequest, as call: ResourceCall) async throws(ResourceError) -> ResourceResponse {
        let core = try core()
        return try await core.send(core.prepare(request, as: call), as: call)
    }

    /// Starts a call, and passes its result to a closure.
    ///
    /// - Returns: The task; `nil` if the SDK is not configured or the request is invalid.
    func start(
        _ request: ResourceRequest,
        as call: ResourceCall,
        completion: @escaping @MainActor (ResourceResponse?, ResourceError?) -> Void
    ) -> NetworkTask? {
        do throws(ResourceError) {
            let core = try core()
            let prepared = try core.prepare(request, as: call)
            let task = NetworkTask(request, call)
            task.run(
                { () async throws(ResourceError) in try await core.send(prepared, as: call) },
                completion: completion
            )
            return task
        } catch {
            let error = error.of(call)
            Task { @MainActor in completion(nil, error) }
            return nil
        }
    }

    /// Performs an operation without a response, and passes its error to a closure.
    func perform(
        _ operation: @escaping @Sendable (ResourceCore) async throws(ResourceError) -> Void,
        completion: @escaping @MainActor (ResourceError?) -> Void
    ) {
        Task {
            do throws(ResourceError) {
                try await operation(core())
                await completion(nil)
            } catch {
                await completion(error)
            }
        }
    }
}
