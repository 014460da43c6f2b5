import Foundation
import HTTPTypes
import SallyportTransport

/// Returns stored responses, validates them, and stores the server's responses.
///
/// ``CacheRules`` decides. An error of the storage is never an error of the call, unless the head of the response has been returned.
struct CacheInterceptor: Interceptor {
    private let storage: any HttpCacheStorage
    private let time: TimeSource
    private let rules: CacheRules
    private let partition: CachePartition
    private let recorder: CacheRecorder
    private let responder: CacheResponder
    private let invalidations: CacheInvalidations
    private let invalidator: CacheInvalidator
    private let revalidations = CacheRevalidations()
    private let decoder: (any DecodingTransport)?
    private let plainHTTP: PlainHTTPRule

    var traceName: String { "cache" }

    init(_ cache: HttpCache, _ configuration: HttpClientConfiguration, transport: any Transport) {
        let logger = configuration.logger
        storage = LogManager.isSilent(logger) ? cache.storage : LoggedCacheStorage(cache.storage, logger)
        invalidations = cache.invalidations
        invalidator = CacheInvalidator(storage, invalidations)
        time = cache.time
        rules = CacheRules(heuristicLimit: cache.heuristicLimitInSeconds)
        partition = CachePartition(cache, configuration)
        decoder = transport as? any DecodingTransport
        plainHTTP = PlainHTTPRule(configuration)
        recorder = CacheRecorder(
            storage,
            partition: partition,
            isSealing: !configuration.sealing.isEmpty,
            storesEncoded: decoder != nil
        )
        responder = CacheResponder(storage, decoder: decoder, maximumBodySize: configuration.maximumBodySize)
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let timeLeft = next.call.timeLeft(of: request.effectiveTimeouts)
        return try await CacheDisk.$callEnd.withValue(timeLeft.map { ContinuousClock.now + $0 }) {
            try await respond(to: request, next)
        }
    }

    private func respond(to request: HttpRequest, _ next: Next) async throws -> HttpResponse {
        var partition = self.partition
        let storedKey = await digestKey()
        if let storedKey { partition.digestKey = storedKey }
        let lookup = try CacheLookup(request, partition: partition, acceptEncoding: decoder?.acceptEncoding)
        switch await loadAndDecide(lookup, isUsable: storedKey != nil) {
        case .use(let reuse):
            guard let response = try await responder.respond(with: reuse, to: lookup, in: next.call.scope) else {
                if lookup.request.isAnsweredOnlyFromCache { return refusal(of: lookup, "only-if-cached-miss", next) }
                return try await send(
                    lookup,
                    CacheForward(reason: .miss, mayStore: lookup.request.method == .get),
                    next
                )
            }
            if reuse.isValidatedInBackground { validateInBackground(reuse.entry, lookup, next) }
            var status = HttpCacheStatus(isHit: true)
            status.timeToLive = reuse.freshness.timeToLive
            status.detail = reuse.detail
            next.call.trace?.recordDecision(status)
            return response.with(status)

        case .refuse(let detail):
            return refusal(of: lookup, detail, next)

        case .send(let forward):
            return try await send(lookup, forward, next)
        }
    }

    /// Returns 504, because only a stored response was requested.
    private func refusal(of lookup: CacheLookup, _ detail: String, _ next: Next) -> HttpResponse {
        var status = HttpCacheStatus()
        status.detail = detail
        next.call.trace?.recordDecision(status)
        return HttpResponse(status: .gatewayTimeout, request: lookup.sent).with(status)
    }

    /// Returns the key of the storage; `nil` if the storage has failed.
    private func digestKey() async -> Data? {
        do throws(HttpCacheStorageError) { return try await storage.digestKey() } catch { return nil }
    }

    /// Loads the stored responses for a request, and returns the decision about it.
    ///
    /// - Parameter isUsable: `false` if the storage has failed.
    private func loadAndDecide(_ lookup: CacheLookup, isUsable: Bool) async -> CacheDecision {
        // The SDK's own requests change the state of a sign-in.
        if lookup.original.action != nil {
            return .send(CacheForward(reason: .bypass, detail: "action", mayStore: false))
        }
        // A later stage may refuse the request, which a stored response would conceal.
        let isRefused = (try? plainHTTP.confines(lookup.target)) == nil
        if isRefused || lookup.target.scheme == "http" && lookup.original.requiresSecureTransport {
            return .send(CacheForward(reason: .bypass, detail: "plain-http", mayStore: false))
        }
        guard lookup.request.method == .get || lookup.request.method == .head else {
            return rules.decide(lookup.request, [], at: time.date())
        }
        guard isUsable, await invalidator.repeatRemoval(of: lookup.key.resource) else { return withoutStorage(lookup) }
        do throws(HttpCacheStorageError) {
            var entries = try await storage.entries(for: lookup.key)
            if lookup.sharedKey != lookup.key { entries += try await storage.entries(for: lookup.sharedKey) }
            return rules.decide(lookup.request, entries, at: time.date())
        } catch {
            return withoutStorage(lookup)
        }
    }

    /// Returns the decision about a request if the storage has failed.
    private func withoutStorage(_ lookup: CacheLookup) -> CacheDecision {
        let decision = rules.decide(lookup.request, [], at: time.date())
        guard case .send(var forward) = decision else { return decision }
        forward.detail = forward.detail ?? "storage"
        forward.mayStore = false
        return .send(forward)
    }

    /// Sends a request, and handles its response.
    private func send(
        _ lookup: CacheLookup,
        _ forward: CacheForward,
        _ next: Next
    ) async throws -> HttpResponse {
        var status = HttpCacheStatus()
        status.forward = forward.reason
        status.detail = forward.detail
        next.call.trace?.recordDecision(status)
        var request = lookup.original
        for condition in forward.conditions { request.fields[condition.name] = condition.value }
        let resource = lookup.key.resource
        let identifier = invalidations.begin(for: resource)
        defer { invalidations.end(identifier, for: resource) }
        let requestTime = time.date()
        var response: HttpResponse
        do throws(NetworkError) {
            response = try await next.capturingEncodedBody(forward.mayStore && decoder != nil)(request)
        } catch {
            guard error.isServerUnreachable,
                let fallback = rules.fallback(of: forward, for: lookup.request, at: time.date()),
                let response = try await responder.respond(with: fallback, to: lookup, in: next.call.scope)
            else { throw error }
            status.detail = fallback.detail
            status.timeToLive = fallback.freshness.timeToLive
            return response.with(status, recordedBy: next)
        }
        if lookup.request.isUnsafe, await !invalidator.invalidate(lookup.target, after: response) {
            status.detail = "storage"
        }
        let received = CacheResponse(
            status: response.status.code,
            fields: recorder.fields(of: response),
            requestTime: requestTime,
            responseTime: time.date()
        )
        func store(_ head: HttpCacheHead, _ key: HttpCacheKey) async {
            for entry in forward.surplus { await remove(entry) }
            let problem = await recorder.store(
                &response,
                head,
                key: key,
                to: request,
                in: next.call.scope,
                isValid: { invalidations.isValid(identifier, for: resource) },
                onFailure: { if let replaced = forward.entry { await remove(replaced) } }
            )
            status.isStored = problem == nil
            status.detail = status.detail ?? problem
            if status.isStored { status.timeToLive = timeToLive(of: head) }
        }
        switch rules.outcome(of: received, to: lookup.request, forward) {
        case .pass(let variant, let problem):
            status.detail = status.detail ?? problem
            if let variant {
                let isShared = CacheRules.isShared(received.fields, variant.names)
                await store(lookup.head(of: received, variant), isShared ? lookup.sharedKey : lookup.key)
            }

        case .passAndUpdate(let entry, let head):
            let problem = recorder.problem(with: response.request, request, varying: entry.head.varyingFields)
            if problem == nil { await replaceHead(of: entry, with: head) }
            status.detail = status.detail ?? problem

        case .passAndRemove(let entry, let reason):
            let problem = recorder.problem(with: response.request, request, varying: entry.head.varyingFields)
            if problem == nil { await remove(entry) }
            status.detail = reason ?? status.detail ?? problem

        case .useUpdated(let entry, let head, let isStillStored):
            let freshness = CacheFreshness(head, at: received.responseTime, heuristicLimit: rules.heuristicLimit)
            let updated = HttpCacheEntry(key: entry.key, head: head, bodyLength: entry.bodyLength)
            let reuse = CacheReuse(entry: updated, form: .complete, freshness: freshness)
            let problem = recorder.problem(with: response.request, request, varying: entry.head.varyingFields)
            await response.discard()
            if problem == "request-changed" {
                // The server has confirmed the response to another request.
                return try await send(lookup, CacheForward(reason: forward.reason, detail: problem), next)
            }
            guard var stored = try await responder.respond(with: reuse, to: lookup, in: next.call.scope) else {
                return try await send(lookup, CacheForward(reason: .miss), next)
            }
            if problem == nil {
                if isStillStored { await replaceHead(of: entry, with: head) } else { await remove(entry) }
            }
            stored.adopt(response)
            response = stored
            status.forwardStatus = received.status
            status.timeToLive = freshness.timeToLive
            status.isStored = isStillStored && problem == nil
            status.detail = status.detail ?? problem

        case .combine(let beginning, let head, let problem):
            let rest = response
            if let problem = recorder.problem(with: rest.request, request, varying: head.varyingFields) {
                // The rest may belong to another response.
                await response.discard()
                return try await send(lookup, CacheForward(reason: forward.reason, detail: problem), next)
            }
            guard let combined = try await responder.combine(beginning, rest, head, in: next.call.scope) else {
                await response.discard()
                return try await send(lookup, CacheForward(reason: .miss), next)
            }
            response = combined
            response.adopt(rest)
            status.forwardStatus = received.status
            status.detail = status.detail ?? problem
            if problem == nil {
                let isShared = CacheRules.isShared(received.fields, head.varyingFields)
                await store(head, isShared ? beginning.key : lookup.key)
            }

        case .sendUnconditionally(let detail):
            await response.discard()
            let again = CacheForward(reason: forward.reason, detail: detail, surplus: forward.surplus)
            return try await send(lookup, again, next)

        case .fallBack(let fallback):
            if let stored = try await responder.respond(with: fallback, to: lookup, in: next.call.scope) {
                await response.discard()
                response = stored
                status.forwardStatus = received.status
                status.detail = fallback.detail
                status.timeToLive = fallback.freshness.timeToLive
            }
        }
        return response.with(status, recordedBy: next)
    }

    private func timeToLive(of head: HttpCacheHead) -> Int {
        CacheFreshness(head, at: head.responseTime, heuristicLimit: rules.heuristicLimit).timeToLive
    }

    /// Replaces the head of a stored response. If that fails, the response remains stale.
    private func replaceHead(of entry: HttpCacheEntry, with head: HttpCacheHead) async {
        do throws(HttpCacheStorageError) { try await storage.replaceHead(of: entry, with: head) } catch {}
    }

    /// Removes a stored response. If that fails, all responses of its URL are removed before one of them is used.
    private func remove(_ entry: HttpCacheEntry) async {
        do throws(HttpCacheStorageError) {
            try await storage.remove(entry)
        } catch {
            invalidations.removalFailed(of: entry.key.resource)
        }
    }

    /// Validates a stale response after it has been returned.
    private func validateInBackground(_ entry: HttpCacheEntry, _ lookup: CacheLookup, _ next: Next) {
        let limit = CacheRevalidations.limit
        let encoding = decoder?.acceptEncoding
        guard let plain = try? lookup.unconditional(within: limit, acceptEncoding: encoding)
        else {
            return
        }
        let conditions = CacheRules.conditions(for: entry, plain.request)
        let forward = CacheForward(reason: .stale, entry: entry, conditions: conditions)
        let call = next.call.trace?.recorder
        revalidations.start(entry.head.id, of: next) { next in
            let recorder = call?.validation(of: plain.original)
            let stage = recorder.map { TracedStage(of: $0, named: traceName, receiving: plain.original) }
            let next = next.traced(by: stage)
            // The call that has received the stale response can end before this one.
            try await CacheDisk.$callEnd.withValue(nil) {
                let response: HttpResponse
                do {
                    response = try await send(plain, forward, next)
                    recorder?.finish(.success(response))
                } catch {
                    recorder?.finish(.failure(NetworkError(wrapping: error, reason: "the validation failed")))
                    throw error
                }
                // A new body is stored while it is read.
                guard let status = response.cacheStatus, status.isStored, status.forwardStatus == nil else { return }
                for try await _ in response.bodyStream {}
            }
        }
    }
}

extension NetworkError {
    /// A Boolean value that indicates whether the server could not be reached, which a stale response may replace. A refused
    /// certificate is not such an error.
    fileprivate var isServerUnreachable: Bool {
        switch self {
        case .networkUnavailable, .hostNotFound, .connectionFailed, .timeout, .connectionLost: true
        default: false
        }
    }
}

extension HttpResponse {
    /// Returns the response with its cache status.
    fileprivate func with(_ status: HttpCacheStatus) -> HttpResponse {
        var response = self
        response.cacheStatus = status
        return response
    }

    /// Returns the response with its cache status, which is also recorded in the trace of the call.
    fileprivate func with(_ status: HttpCacheStatus, recordedBy next: Next) -> HttpResponse {
        next.call.trace?.recordOutcome(status)
        return with(status)
    }

    /// Adds the fields for the session of the user and the connection of the response that has confirmed this stored one. A proof in
    /// `Authentication-Info` is not added, because it may include the empty body of the confirmation.
    fileprivate mutating func adopt(_ confirmation: HttpResponse) {
        for name in [.setCookie, HTTPField.Name("DPoP-Nonce")].compactMap(\.self) {
            headers.fields[values: name] = confirmation.headers.fields[values: name]
        }
        if let nonce = DigestInfo(confirmation).nextNonce {
            headers.fields[.authenticationInfo] = "nextnonce=\(DigestSession.quoted(nonce))"
        }
        connection = confirmation.connection
        informational = confirmation.informational
        request = confirmation.request
    }
}
