@testable import Sallyport

/// Returns the description of the error for an invalid request, or an empty string for a valid one.
func refusal(of request: HttpRequest) -> String {
    do throws(NetworkError) {
        _ = try request.head()
        return ""
    } catch .invalidRequest(let failure) {
        return failure.description
    } catch {
        return "unexpected error: \(error)"
    }
}
