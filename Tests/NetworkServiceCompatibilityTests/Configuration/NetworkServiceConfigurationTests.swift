import NetworkServiceCompatibility
import TestSupport
import Testing

extension SharedConfigurationSuites {
    @Suite(.concurrencyLimited) @MainActor struct NetworkServiceConfigurationTests {
        @Test func `The properties have the documented defaults`() {
            #expect(NetworkServiceConfiguration.baseUrl == "http://domain/api")
            #expect(NetworkServiceConfiguration.timeoutValue == 10)
            #expect(NetworkServiceConfiguration.headers.isEmpty)
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
