@testable import Sallyport

/// What is wrong with a request, as the client would say; empty if nothing is.
func refusal(of request: HttpRequest) -> String {
    do throws(NetworkError) {
        _ = try request.head()
        return ""
    } catch .invalidRequest(let failure) {
        return failure.description
    } catch {
        return "another error: \(error)"
    }
}
