import Sallyport
import SallyportGateway

extension DemoStep {
    static let refusedCertificate = DemoStep(title: "Certificate, refused") { stage in
        let client = HttpClient.createClient()
        defer { client.close() }
        do throws(NetworkError) {
            _ = try await client.request { request in request.url = stage.baseURL + "/echo" }
        } catch .certificateRefused(let failure) {
            return failure.reason
        }
        throw DemoMismatch(description: "expected a client that does not trust the authority to refuse its certificate")
    }

    static let refusedPin = DemoStep(title: "Pin, mismatched") { stage in
        let host = GatewayConfiguration().host
        let anotherKey = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        return try await stage.withClient({ try $0.pins.pin(host, to: [anotherKey]) }) { client in
            do throws(NetworkError) {
                _ = try await client.request { request in request.url = stage.baseURL + "/echo" }
            } catch .pinMismatch {
                return "the certificate is trusted, but its key is not the pinned one; nothing was sent"
            }
            throw DemoMismatch(description: "expected a server with another key than the pinned one to be refused")
        }
    }

    static let timeout = DemoStep(title: "Timeout") { stage in
        do throws(NetworkError) {
            _ = try await stage.client.request { request in
                request.url = stage.baseURL + "/delay/30000"
                request.timeout = 0.25
            }
        } catch .timeout(let failure) {
            return failure.reason
        }
        throw DemoMismatch(description: "expected a server that takes 30 s to exceed a limit of 0.25 s")
    }
}
