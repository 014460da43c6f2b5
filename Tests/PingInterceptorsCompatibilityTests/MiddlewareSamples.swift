import PingInterceptorsCompatibility

// Seed 001, lines 355-382, translated from JavaScript

let forceAuthMiddleware: RequestMiddleware = { req, action, next in
    switch action.type {
    case "START_AUTHENTICATE":
        req = req.replacing(urlParams: req.urlParams.merging(["ForceAuth": "true"]) { _, new in new })
    default: break
    }
    next(&req)
}

let addHeadersMiddleware: RequestMiddleware = { req, action, next in
    switch action.type {
    case "START_AUTHENTICATE":
        req = req.replacing(headers: req.headers.merging(["Accept-Language": "en-GB"]) { _, new in new })
    default: break
    }
    next(&req)
}

// Seed 001, lines 386-391

func registerMiddleware() {
    FRRequestInterceptorRegistry.shared.registerInterceptors(
        interceptors: [
            MiddlewareInterceptor(
                forceAuthMiddleware,
                addHeadersMiddleware
            )
        ]
    )
}
