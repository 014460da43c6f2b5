import ClientTestSupport
import Sallyport
import SallyportStorage

/// Records the actions of requests.
final class ActionRecorder: ActionInterceptor {
    private let state = Locked<[Action]>([])

    var actions: [Action] { state.withLock { $0 } }

    func intercept(request: HttpRequest, action: Action) -> HttpRequest {
        state.withLock { $0.append(action) }
        return request
    }
}
