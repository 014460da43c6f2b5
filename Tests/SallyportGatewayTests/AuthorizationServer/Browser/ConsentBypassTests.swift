import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportGateway

/// Attacks over HTTP on a running gateway, by a client that takes the hidden fields out of the forms.
@Suite(.concurrencyLimited) struct ConsentBypassTests {
    private struct Browser {
        let base: String
        let client = HttpClient()

        func authorize(_ changes: [String: String?] = [:]) async throws -> HttpResponse {
            let query = FormParameters(TestIdentity.request(changes)).query
            return try await client.request { $0.url = "\(base)/authorize?\(query)" }
        }

        func post(_ path: String, _ fields: [String: String]) async throws -> HttpResponse {
            try await client.request { request in
                request.url = base + path
                request.form(parameters: fields)
            }
        }

        /// Answers the form of a page.
        func answer(_ page: HttpResponse, _ fields: [String: String]) async throws -> HttpResponse {
            let form = try #require(scrapedForm(page.bodyAsString()))
            return try await post(form.action, form.hidden.merging(fields) { $1 })
        }

        /// Signs alice in, up to the consent page.
        func signIn(_ page: HttpResponse) async throws -> HttpResponse {
            #expect(scrapedForm(page.bodyAsString())?.action == "/authorize/login")
            return try await answer(page, ["username": "alice", "password": "wonderland"])
        }
    }

    private func withBrowser(_ body: (Browser) async throws -> Void) async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        let server = try AuthorizationServer(configuration)
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { address in
            let browser = Browser(base: address.baseURL)
            defer { browser.client.close() }
            try await body(browser)
        }
    }

    private func expectRefusal(_ response: HttpResponse) {
        #expect(response.status.code == 400)
        #expect(response.getHeader(name: "Location") == nil)
        #expect(response.bodyAsString().contains("This page is out of date"))
    }

    @Test(arguments: [["prompt": "login"], ["max_age": "0"], ["prompt": "select_account"], ["prompt": "login consent"]])
    func `The hidden fields of a login form are refused at the consent endpoint even if the user is signed in`(
        demand: [String: String]
    ) async throws {
        try await withBrowser { browser in
            let first = try await browser.signIn(try await browser.authorize())
            #expect(
                try await browser.answer(first, ["decision": "allow"]).getHeader(name: "Location")?.contains("code=")
                    == true
            )

            let login = try await browser.authorize(demand)
            let stolen = try #require(scrapedForm(login.bodyAsString()))
            #expect(stolen.action == "/authorize/login")
            let fields = stolen.hidden.merging(["decision": "allow"]) { $1 }
            expectRefusal(try await browser.post("/authorize/consent", fields))
            let asClient = fields.merging(["client_id": "conf"]) { $1 }
            expectRefusal(try await browser.post("/authorize/consent", asClient))

            let consent = try await browser.signIn(login)
            let location = try await browser.answer(consent, ["decision": "allow"]).getHeader(name: "Location")
            #expect(location?.contains("code=") == true)
        }
    }

    @Test func `The hidden fields of a failed login are refused at the consent endpoint`() async throws {
        try await withBrowser { browser in
            let first = try await browser.signIn(try await browser.authorize())
            _ = try await browser.answer(first, ["decision": "allow"])
            let login = try await browser.authorize(["prompt": "login"])
            let failed = try await browser.answer(login, ["username": "alice", "password": "wrong"])
            let form = try #require(scrapedForm(failed.bodyAsString()))
            expectRefusal(
                try await browser.post("/authorize/consent", form.hidden.merging(["decision": "allow"]) { $1 })
            )
        }
    }
}
