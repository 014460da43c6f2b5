import Foundation
import NetworkServiceCompatibility
import Sallyport
import SallyportGateway
import TestSupport
import Testing

/// The texts that the samples have printed.
let printed = Watched<[String]>([])

/// Records what a sample prints, in place of the function of the standard library.
func print(_ item: Any) {
    printed.update { $0.append("\(item)") }
}

extension SharedConfigurationSuites {
    /// The complete example of seed 002, against the gateway.
    @Suite(.concurrencyLimited) @MainActor struct CompleteExampleTests {
        /// Calls the example, and expects its request and what it prints.
        private func expectPrinted(_ path: String, _ text: String, below basePath: String = "/api") async throws {
            let original = RequestConfiguration.path
            defer { RequestConfiguration.path = original }
            RequestConfiguration.path = path
            printed.update { $0 = [] }
            try await Gateway.withRunning { gateway in
                try await withScriptedServer([[.tunnel(toPort: gateway.port)]]) { recorder in
                    try await withBaseURL("http://\(recorder.authority)" + basePath) {
                        TestService().call()
                        try await printed.wait("the callback") { !$0.isEmpty }
                    }
                    #expect(recorder.requests.map(\.method) == ["GET"])
                    let query = "?body=Body&id=1&title=Title&userId=1"
                    #expect(recorder.requests.map(\.target) == [basePath + path + query])
                }
            }
            #expect(printed.value.count == 1)
            #expect(printed.value[0].contains(text), "\(printed.value)")
        }

        @Test func `The example prints a member of the model`() async throws {
            try await expectPrinted("/test", #"Optional("Body")"#)
        }

        @Test func `The example prints the status of a response without data`() async throws {
            try await expectPrinted("/notice", "Closed for today.")
        }

        @Test func `The example prints the status of the response to an unsuccessful request`() async throws {
            try await expectPrinted("/failures/503", "It did not work.")
        }

        @Test func `The example prints the error of a response that has neither a status nor data`() async throws {
            try await expectPrinted("/test", "404 Not Found", below: "/nowhere")
        }

        @Test func `The models of the document read the gateway's response`() async throws {
            try await Gateway.withRunning { gateway in
                let response = try await HttpClient.createClient().request { $0.url = gateway.baseURL + "/api/notice" }
                let object = try JSONSerialization.jsonObject(with: response.body ?? Data()) as? [String: Any]
                let notice = try #require(SeedModels.BaseResponse<SeedModels.BaseModel>(JSON: object ?? [:]))
                #expect(notice.status?.message == "Closed for today.")
                #expect(notice.data == nil)
            }
        }
    }
}
