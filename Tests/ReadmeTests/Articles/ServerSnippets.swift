import CoreMetrics
import Sallyport
import SallyportGateway
import SallyportTelemetry
import Tracing

// The Swift blocks of the documentation of SallyportGateway and SallyportTelemetry; see ReadmeTests.

// SallyportGateway.md

@available(macOS 14, iOS 17, tvOS 17, *)
private func served(client: HttpClient) async throws {
    try await Gateway.withRunning { address in
        let response = try await client.request { request in request.url = "\(address.baseURL)/echo" }
        print(response.status)
    }
}

// Development-Server.md

@available(macOS 14, iOS 17, tvOS 17, *)
private func servedIdentities() async throws {
    var configuration = GatewayConfiguration()
    configuration.authorizationServer = try AuthorizationServer(.development())
    try await Gateway.withRunning(configuration) { address in
        let client = HttpClient.createClient()
        let response = try await client.request { request in request.url = "\(address.baseURL)/echo" }
        print(response.status)
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
private func servedOverTLS() async throws {
    let authority = try DevelopmentAuthority()
    let configuration = GatewayConfiguration(tls: .developmentAuthority(authority))
    try await Gateway.withRunning(configuration) { address in
        let client = HttpClient.createClient { config in
            config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
        }
        let response = try await client.request { request in request.url = "\(address.baseURL)/echo" }
        print(response.status)
    }
}

// Metrics-and-Spans.md

private func recorded(metrics: any MetricsFactory, tracer: any Tracer) -> HttpClient {
    MetricsSystem.bootstrap(metrics)
    InstrumentationSystem.bootstrap(tracer)
    let client = HttpClient.createClient { config in
        config.addTelemetry()
    }
    return client
}
