import Foundation
import NetworkServiceCompatibility
import SallyportGateway
import TestSupport
import Testing

extension SharedConfigurationSuites {
    @Suite(.concurrencyLimited) @MainActor struct NetworkServiceTests {
        struct Delayed: NetworkServiceDelegate {
            static var path = "/delay/60000"
            static var method = NetworkServiceHTTPMethod.get
            typealias V = BaseModel
        }

        struct Movable: NetworkServiceDelegate {
            static var path = "/unknown"
            static var method = NetworkServiceHTTPMethod.get
            typealias V = EchoModel
        }

        private func move<T: NetworkServiceDelegate>(_ request: T.Type, to path: String) {
            T.path = path
            T.method = .post
        }

        @Test func `Generic code can set the path and the method of a request`() async throws {
            try await EnvelopeServer.run { _ in
                move(Movable.self, to: "/echo?page=2")
                let echo = await NetworkService<Movable>().outcome().response?.data
                #expect(echo?.method == "POST")
                #expect(echo?.target == "/api/echo?page=2")
            }
        }

        @Test func `The parameters of a GET are sent in the query`() async throws {
            try await EnvelopeServer.run { _ in
                let parameters: [String: Any] = ["text": "a b", "number": 3, "flag": true, "list": [1, 2]]
                let echo = await NetworkService<GetEcho>().outcome(parameters).response?.data
                #expect(echo?.method == "GET")
                #expect(echo?.target == "/api/echo?flag=true&list=1&list=2&number=3&text=a%20b")
                #expect(echo?.text == "")
            }
        }

        @Test func `The parameters of a POST are sent as JSON, and its path can have a query`() async throws {
            try await EnvelopeServer.run { _ in
                let parameters: [String: Any] = ["text": "a b", "number": 3, "flag": true, "user": ["id": 7]]
                let echo = await NetworkService<PostEcho>().outcome(parameters).response?.data
                #expect(echo?.method == "POST")
                #expect(echo?.target == "/api/echo?page=1")
                #expect(echo?.headers["content-type"] == "application/json")
                #expect(echo?.text == #"{"flag":true,"number":3,"text":"a b","user":{"id":7}}"#)
            }
        }

        @Test func `A POST without parameters has no body`() async throws {
            try await EnvelopeServer.run { _ in
                let (response, error) = await NetworkService<PostEcho>().outcome()
                #expect(error == nil)
                #expect(response?.status?.message == "OK")
                #expect(response?.data?.text == "")
                #expect(response?.data?.headers["content-type"] == nil)
            }
        }

        @Test func `A parameter that is not JSON is an error before anything is sent`() async throws {
            try await withBaseURL("http://127.0.0.1:1") {
                let (response, error) = await NetworkService<PostEcho>().outcome(["user": ["born": Date()]])
                #expect(response == nil)
                let expected = "the JSON body cannot be encoded at user.born: a value of type Date is not JSON"
                #expect(error?.reason.contains(expected) == true, "\(String(describing: error))")
            }
        }

        @Test func `Added headers are sent by all services, unless the configuration has them already`() async throws {
            try await EnvelopeServer.run { _ in
                NetworkServiceConfiguration.headers["X-App"] = "1"
                let service = NetworkService<GetEcho>(
                    requestEndPoint: GetEcho(),
                    networkServiceConfiguration: NetworkServiceConfiguration()
                )
                service.addRequestHeader(key: "X-Call", value: "2")
                service.addRequestHeader(key: "x-call", value: "3")
                service.addRequestHeader(key: "X-App", value: "3")
                for service in [service, NetworkService<GetEcho>()] {
                    let echo = await service.outcome().response?.data
                    #expect(echo?.headers["x-app"] == "1")
                    #expect(echo?.headers["x-call"] == "2")
                }
                #expect(NetworkServiceConfiguration.headers == ["X-App": "1", "X-Call": "2"])
            }
        }

        @Test func `Requests do not identify the SDK`() async throws {
            try await EnvelopeServer.run { _ in
                let headers = try #require(await NetworkService<GetEcho>().outcome().response?.data).headers
                #expect(headers.keys.filter { $0.hasPrefix("x-requested") } == [])
            }
        }

        @Test func `A response of another media type is an error`() async throws {
            try await EnvelopeServer.run { _ in
                let (response, error) = await NetworkService<GetText>().outcome()
                #expect(response == nil)
                #expect(error?.reason.contains("text/plain") == true)
            }
        }

        @Test func `Callbacks are called once, on the main actor`() async throws {
            try await EnvelopeServer.run { _ in
                let methods = Watched<[String]>([])
                callEcho { response, _ in
                    MainActor.assertIsolated()
                    methods.update { $0.append(response?.data?.method ?? "") }
                }
                try await methods.wait("the callback") { !$0.isEmpty }
                for _ in 0..<10 { await Task.yield() }
                #expect(methods.value == ["GET"])
            }
        }

        @Test func `Cancelling the current request passes an error to its callback, and later calls continue`()
            async throws
        {
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL) {
                    let errors = Watched<[String?]>([])
                    let service = NetworkService<Delayed>()
                    service.call(requestParams: nil) { _, error in
                        errors.update { $0.append(error?.networkError?.kind) }
                    }
                    service.cancelCurrentRequest()
                    try await errors.wait("the callback") { !$0.isEmpty }
                    #expect(errors.value == ["cancelled"])
                    NetworkServiceConfiguration.timeoutValue = 0.1
                    #expect(await service.outcome().error?.networkError?.kind == "timeout")
                }
            }
        }

        @Test func `A call without a response within the timeout is an error`() async throws {
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL) {
                    NetworkServiceConfiguration.timeoutValue = 0.1
                    let error = await NetworkService<Delayed>().outcome().error
                    #expect(error?.networkError?.kind == "timeout")
                }
            }
        }

        @Test func `Services of a session type share its cookies until the session is invalidated`() async throws {
            try await EnvelopeServer.run { _ in
                var ephemeral = NetworkServiceConfiguration()
                ephemeral.serviceSessionType = .ephemeral
                for configuration in [NetworkServiceConfiguration(), ephemeral] {
                    let first = NetworkService<GetCookie>(networkServiceConfiguration: configuration)
                    let second = NetworkService<GetEcho>(networkServiceConfiguration: configuration)
                    #expect(await second.outcome().response?.data?.headers["cookie"] == nil)
                    #expect(await first.outcome().response?.data != nil)
                    #expect(await second.outcome().response?.data?.headers["cookie"] == "sid=1")
                    second.invalidateRelatedURLSession()
                    #expect(await second.outcome().response?.data?.headers["cookie"] == nil)
                    #expect(await first.outcome().response?.data != nil)
                }
                let service = NetworkService<GetEcho>()
                #expect(await service.outcome().response?.data?.headers["cookie"] == "sid=1")
                service.invalidateURLSessions()
                for configuration in [NetworkServiceConfiguration(), ephemeral] {
                    let service = NetworkService<GetEcho>(networkServiceConfiguration: configuration)
                    #expect(await service.outcome().response?.data?.headers["cookie"] == nil)
                }
            }
        }

        @Test func `A call in progress finishes when its session is invalidated`() async throws {
            try await EnvelopeServer.run { _ in
                let methods = Watched<[String?]>([])
                let service = NetworkService<GetEcho>()
                service.call(requestParams: nil) { response, _ in
                    methods.update { $0.append(response?.data?.method) }
                }
                service.invalidateURLSessions()
                try await methods.wait("the callback") { !$0.isEmpty }
                #expect(methods.value == ["GET"])
            }
        }
    }
}

/// Passes on a callback of an ordinary function type.
private func callEcho(_ callback: @escaping (BaseResponse<EchoModel>?, NetworkServiceErrorInfo?) -> Void) {
    NetworkService<GetEcho>().call(requestParams: nil, callback: callback)
}
