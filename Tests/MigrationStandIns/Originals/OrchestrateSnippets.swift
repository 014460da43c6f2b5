import PingOrchestrate

// The Swift blocks of Docs/Guides.docc/Migrating-from-Orchestrate.md that use PingOrchestrate.

func makeRequest(token: String) -> Request {
    let request = Request()
    request.url("https://api.example.com/users")
    request.header(name: "Authorization", value: "Bearer \(token)")
    request.header(name: "Accept", value: "application/json")
    request.parameter(name: "page", value: "1")
    request.body(body: ["name": "John", "email": "john@example.com"])
    return request
}

func change(_ request: Request, to urlRequest: URLRequest, theme: HTTPCookie, language: HTTPCookie) {
    request.url(urlRequest)
    request.cookies(cookies: [theme, language])
}

func fill(_ request: Request, data: Data) -> String? {
    request.body(body: ["key": "value"])
    request.form(formData: ["username": "john", "password": "secret"])
    request.method(.post)
    let method: String? = request.getMethod()
    request.urlRequest.httpBody = data
    request.method(.get)
    return method
}

func contentType(of response: Response) -> String? {
    let headers: [String: String] = response.headers
    let type = headers["Content-Type"]
    return type
}

func constants() -> ([String], String, Request.HTTPMethod) {
    let names = [Request.Constants.contentType, Request.Constants.authorization]
    let json = Request.ContentType.json.rawValue
    let post = Request.HTTPMethod.post
    return (names, json, post)
}
