import Sallyport

/// The URL on the command line.
enum RequestURL {
    /// - Throws: A failure that says what is wrong with the URL, and suggests the one that may have been meant.
    static func check(_ url: String) throws(CommandFailure) {
        do throws(NetworkError) {
            _ = try HttpRequest(url: url).head()
        } catch {
            var failure = error.failure
            if let suggestion = suggestion(for: url) { failure.advice = "did you mean \(suggestion)?" }
            throw CommandFailure(.badURL, failure.description)
        }
    }

    /// The URL with a scheme, if that is all that it lacks.
    private static func suggestion(for url: String) -> String? {
        if url.contains("://") { return nil }
        let afterColon = url.drop { $0 != ":" }.dropFirst()
        guard afterColon.isEmpty || afterColon.first?.isNumber == true else { return nil }
        let suggestion = "https://" + url.prefix { $0 != "?" }
        return (try? HttpRequest(url: suggestion).head()) == nil ? nil : suggestion
    }
}
