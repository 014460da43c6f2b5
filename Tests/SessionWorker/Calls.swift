import Sallyport

/// Makes calls at the same time, and tells how often each status or error came.
func answers(of api: HttpClient, at url: String, count: Int) async -> String {
    await withTaskGroup(of: String.self) { group in
        for _ in 0..<count {
            group.addTask {
                do {
                    return "\(try await api.request { request in request.url = url }.status.code)"
                } catch {
                    return "\(error)"
                }
            }
        }
        var counts: [String: Int] = [:]
        for await answer in group { counts[answer, default: 0] += 1 }
        return counts.map { "\($0.value) × \($0.key)" }.sorted().joined(separator: ", ")
    }
}
