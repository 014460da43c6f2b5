import Foundation
import Hummingbird
import Sallyport

/// A server whose users sign in at an identity server. It calls a protected API for each of them, with that user's own tokens.
@main
struct UserServer {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let issuer = environment["ISSUER"] ?? "http://127.0.0.1:8080"
        let users = Users(
            issuer: issuer,
            clientID: environment["CLIENT"] ?? "conf",
            // The secret of the development server. Use one of your own, from a file or a secret store, for any other.
            secret: environment["CLIENT_SECRET"] ?? "s3cret-conf",
            api: environment["API"] ?? "\(issuer)/protected",
            baseURL: "http://127.0.0.1:8090"
        )

        let router = Router()
        router.get("/") { request, _ -> Response in
            guard let client = await users.client(of: request.cookies["session"]?.value) else {
                return .redirect(to: "/login")
            }
            let answer = try await client.request { request in request.url = users.api }
            return Response(
                status: answer.status,
                headers: [.contentType: answer.getHeader(name: "Content-Type") ?? "text/plain"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body ?? Data()))
            )
        }
        router.get("/login") { _, _ -> Response in
            let (url, cookie) = try await users.beginLogin()
            return redirect(to: url, setting: cookie)
        }
        router.get("/callback") { request, _ -> Response in
            let cookie = try await users.finishLogin(request.uri.string, cookie: request.cookies["session"]?.value)
            return redirect(to: "/", setting: cookie)
        }
        router.post("/logout") { request, _ -> Response in
            try await users.logout(request.cookies["session"]?.value)
            return redirect(to: "/login", setting: "")
        }

        let address = BindAddress.hostname("127.0.0.1", port: 8090)
        try await Application(router: router, configuration: ApplicationConfiguration(address: address)).runService()
    }

    /// Returns a redirect that sets the cookie by which the server recognizes the browser.
    private static func redirect(to url: String, setting cookie: String) -> Response {
        var response = Response.redirect(to: url)
        // Over TLS, use the name __Host-session and the attribute Secure.
        response.setCookie(.init(name: "session", value: cookie, path: "/", httpOnly: true, sameSite: .lax))
        return response
    }
}
