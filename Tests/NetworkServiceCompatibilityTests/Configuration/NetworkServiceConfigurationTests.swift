import NetworkServiceCompatibility
import TestSupport
import Testing

extension SharedConfigurationSuites {
    @Suite(.concurrencyLimited) @MainActor struct NetworkServiceConfigurationTests {
        @Test func `The properties have the documented defaults`() {
            #expect(NetworkServiceConfiguration.baseUrl == "http://domain/api")
            #expect(NetworkServiceConfiguration.timeoutValue == 10)
            #expect(NetworkServiceConfiguration.headers.isEmpty)
            #expect(!NetworkServiceConfiguration.allowsPlainHTTP)
            #expect(NetworkServiceConfiguration().serviceSessionType == .defaultService)
            #expect(NetworkServiceConfiguration().clientBundle == "com.networkservice.api")
        }

        @Test func `A new base URL is not valid before it has been validated`() async throws {
            try await withBaseURL("https://api.example.com/v1") {
                #expect(!NetworkServiceConfiguration.urlIsValid)
                #expect(NetworkServiceConfiguration.validateServiceURL())
                #expect(NetworkServiceConfiguration.urlIsValid)
                NetworkServiceConfiguration.baseUrl = "api.example.com"
                #expect(!NetworkServiceConfiguration.urlIsValid)
                #expect(!NetworkServiceConfiguration.validateServiceURL())
                #expect(!NetworkServiceConfiguration.urlIsValid)
            }
        }

        @Test func `A call over plain HTTP to another computer is refused unless it is allowed`() async throws {
            // A documentation address (RFC 5737), which no computer has.
            try await withBaseURL("http://192.0.2.1/api") {
                NetworkServiceConfiguration.timeoutValue = 0.2
                let refusal = await NetworkService<GetEcho>().outcome().error?.reason ?? ""
                #expect(refusal.contains("the client does not allow plain HTTP"))
                #expect(refusal.contains("set HttpClientConfiguration.allowsPlainHTTP to true") == true)
                NetworkServiceConfiguration.allowsPlainHTTP = true
                let failure = await NetworkService<GetEcho>().outcome().error?.reason ?? ""
                #expect(!failure.isEmpty && !failure.contains("plain HTTP"))
            }
        }

        @Test func `A call with an invalid base URL passes an error to its callback`() async throws {
            try await withBaseURL("api.example.com") {
                NetworkServiceConfiguration.urlIsValid = true
                let (response, error) = await NetworkService<GetEcho>().outcome()
                #expect(response == nil)
                #expect(error?.reason.hasPrefix("the base URL: ") == true)
                #expect(!NetworkServiceConfiguration.urlIsValid)
            }
        }
    }
}
