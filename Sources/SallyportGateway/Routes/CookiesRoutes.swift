import Hummingbird

/// Shows, sets and deletes cookies.
@available(macOS 14, iOS 17, tvOS 17, *)
struct CookiesRoutes: RouteGroup {
    /// The names of cookies that are neither set nor deleted.
    var reservedNames: Set<String> = []
    let routeDescriptions = [
        "/cookies": "Any method: the cookies received, in order.",
        "/cookies/set?name=value":
            "GET: sets cookies. Attributes: path (else /), domain, max-age, expires, same-site, secure, http-only.",
        "/cookies/delete?name": "GET: deletes cookies. path and domain apply.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/cookies") { request, _ in
            ReceivedCookies(cookies: request.receivedCookies)
        }
        router.get("/cookies/set") { request, context in
            try SetCookies(request.queryItems, reservedNames: reservedNames).response(from: request, context: context)
        }
        router.get("/cookies/delete") { request, context in
            let items = request.queryItems.map { item in
                SetCookies.attributes.keys.contains(item.name) ? item : NamedValue(name: item.name, value: "")
            }
            return try SetCookies(items + [NamedValue(name: "max-age", value: "0")], reservedNames: reservedNames)
                .response(from: request, context: context)
        }
    }
}

private struct ReceivedCookies: ResponseEncodable {
    let cookies: [NamedValue]
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Request {
    /// The received cookies in order, with repetitions, not decoded.
    var receivedCookies: [NamedValue] {
        headers[values: .cookie]
            .flatMap { $0.split(separator: ";") }
            .map { NamedValue($0.drop(while: \.isWhitespace)) }
    }
}
