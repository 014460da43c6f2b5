import Hummingbird
import NIOCore
import NIOHTTP1

/// Converts errors to responses in JSON with the status code, its name and a message.
@available(macOS 14, iOS 17, tvOS 17, *)
struct ErrorMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: GatewayContext,
        next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            throw error
        } catch let error as UploadRefusal {
            return try error.response(from: request, context: context)
        } catch let error as JourneyRefusal {
            return try error.response(from: request, context: context)
        } catch {
            let problem = ErrorBody(error, method: request.method, path: request.uri.path)
            if problem.status >= 500 {
                context.logger.warning("A request handler failed: \(error)")
            }
            var response = try problem.response(from: request, context: context)
            response.status = HTTPResponse.Status(code: problem.status, reasonPhrase: problem.error)
            if let error = error as? HTTPError {
                response.headers.append(contentsOf: error.headers)
            }
            return response
        }
    }
}

private struct ErrorBody: ResponseEncodable {
    let status: Int
    let error: String
    let message: String

    init(_ error: any Error, method: HTTPRequest.Method, path: String) {
        let (status, message): (HTTPResponse.Status, String) =
            switch error {
            case let error as HTTPError where error.status == .notFound:
                (
                    .notFound,
                    error.body ?? "No route matches \(method) here.\(Self.hint(for: path)) GET / lists the routes."
                )
            case let error as HTTPError:
                (error.status, error.body ?? error.status.reasonPhrase)
            case is NIOTooManyBytesError:
                (.contentTooLarge, "The body is longer than this route accepts.")
            case is CancellationError:
                (.serviceUnavailable, "The gateway is shutting down.")
            default:
                (.internalServerError, "The request handler failed; the log of the gateway has the error.")
            }
        self.status = status.code
        self.error = status.reasonPhrase
        self.message = message
    }

    /// Returns the likely reason why no route has a path, after a space.
    private static func hint(for path: String) -> String {
        let isInRealm = ["/json/realms/", "/oauth2/realms/"].contains { path.hasPrefix($0) }
        return isInRealm ? " The realm in the path may not be configured." : ""
    }
}
