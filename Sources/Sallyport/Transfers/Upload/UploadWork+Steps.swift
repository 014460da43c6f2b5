import HTTPTypes
import SallyportTransport

/// The exchanges of an upload.
extension UploadWork {
    /// Sends what the server does not have.
    func step() async -> UploadStep {
        guard let resource = course.resource else { return await create() }
        switch await ask(resource) {
        case .next(let offset): return await append(from: offset)
        case .over(let step): return step
        }
    }

    private var offersResumption: Bool { options.isResumable && content.isReplayable }

    private enum Answer {
        case next(Int64)
        case over(UploadStep)
    }

    /// Sends all of it.
    private func create() async -> UploadStep {
        var creation = request
        creation.body = content.part(from: 0)
        if offersResumption { creation.offerResumption(length: content.length) }
        return end(await send(creation))
    }

    /// Asks how much the server has.
    private func ask(_ resource: UploadResource) async -> Answer {
        let outcome = await send(request.offsetRequest(to: resource))
        guard case .success(let response) = outcome else { return .over(.broken(outcome, true, options.retry)) }
        guard response.status.isSuccess() else { return .over(.refused(response, options.retry)) }
        let report = UploadReport(response.headers.fields)
        do throws(UploadProblem) {
            try course.check(response)
            let offset = try course.acknowledge(report, length: content.length)
            // Its answer was lost with the connection; this one stands for it.
            return report.isComplete == true ? .over(.arrived(response)) : .next(offset)
        } catch {
            return .over(.failed(error.error(of: response)))
        }
    }

    /// Sends the rest, in as many parts as the server wants.
    private func append(from start: Int64) async -> UploadStep {
        var offset = start
        while let resource = course.resource {
            let limit = resource.largestPart ?? .max
            let isLast = content.length.map { $0 - offset <= limit } ?? (limit == .max)
            let part = content.part(from: offset, limit: limit, isLast: isLast)
            let outcome = await send(request.append(part, at: offset, isLast: isLast, to: resource))
            if isLast { return end(outcome) }
            switch appended(outcome) {
            case .over(let step): return step
            // A body of unknown length has ended when it gives less than it might.
            case .next(let next) where next < offset + limit && content.length == nil:
                let end = content.end(at: next)
                return self.end(await send(request.append(end, at: next, isLast: true, to: resource)))
            case .next(let next): offset = next
            }
        }
        return .failed(TransferError(.mismatch("\(request): the upload has no place at the server")))
    }

    /// What follows from the answer to a part that is not the last.
    private func appended(_ outcome: Result<HttpResponse, NetworkError>) -> Answer {
        guard case .success(let response) = outcome else { return .over(.broken(outcome, true, options.retry)) }
        var report = UploadReport(response.headers.fields)
        if report.isComplete == true, !response.status.isSuccess() {
            return .over(.failed(TransferError(.status(response))))
        }
        guard response.status.isSuccess() else { return .over(.refused(response, options.retry)) }
        let sent = tally.position
        report.offset = report.offset ?? sent
        do throws(UploadProblem) {
            let offset = try course.acknowledge(report, length: content.length)
            // It took a part of the part: that is asked for.
            return offset == sent ? .next(offset) : .over(.interrupted(outcome))
        } catch {
            return .over(.failed(error.error(of: response)))
        }
    }

    private func end(_ outcome: Result<HttpResponse, NetworkError>) -> UploadStep {
        .end(
            outcome,
            isResumable: course.resource != nil,
            isWhole: tally.isWhole,
            length: content.length,
            options.retry
        )
    }

    /// Sends one request, while the journal takes note of where the upload can go on.
    private func send(_ request: HttpRequest) async -> Result<HttpResponse, NetworkError> {
        let (news, teller) = AsyncStream.makeStream(of: UploadResource.self)
        var request = request
        request.onInformational = self.request.onInformational
        request.onInformationalFrom = { [course, offersResumption] response, url in
            if offersResumption, let resource = course.note(response, from: url) { teller.yield(resource) }
        }
        async let notes: Void = note(news)
        let outcome = await result(of: request)
        teller.finish()
        await notes
        // A task that is cancelled hears no news any more.
        if Task.isCancelled, let resource = course.resource { note(resource) }
        return outcome
    }

    private func note(_ news: AsyncStream<UploadResource>) async {
        for await resource in news { note(resource) }
    }

    private func note(_ resource: UploadResource) {
        do throws(TransferError) {
            try journal?.note(resource)
        } catch {
            client.configuration.logger.warning("\(error)")
        }
    }

    private func result(of request: HttpRequest) async -> Result<HttpResponse, NetworkError> {
        do throws(NetworkError) {
            return .success(try await client.send(request, in: nil))
        } catch {
            return .failure(error)
        }
    }
}
