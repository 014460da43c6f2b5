import Foundation
import NetworkServiceCompatibility
import TestSupport
import Testing

extension SharedConfigurationSuites {
    @Suite(.concurrencyLimited) @MainActor struct UploadServiceTests {
        struct AddPhotos: UploadServiceDelegate {
            static var path = "/echo"
            static var method = NetworkServiceHTTPMethod.post
            static var parameters: [String: Any]?
            typealias V = EchoModel
        }

        private func outcome(
            of service: UploadService<AddPhotos>
        ) async -> (response: BaseResponse<EchoModel>?, error: NetworkServiceErrorInfo?) {
            await withCheckedContinuation { continuation in
                service.upload(withKey: "photos") { continuation.resume(returning: ($0, $1)) }
            }
        }

        @Test func `Files, data and texts are sent under one key, and the progress ends with 1`() async throws {
            try await withTemporaryDirectory { folder in
                let (first, second) = (folder.appendingPathComponent("1.txt"), folder.appendingPathComponent("2.txt"))
                try Data("first".utf8).write(to: first)
                try Data("second".utf8).write(to: second)
                try await EnvelopeServer.run { _ in
                    AddPhotos.parameters = [
                        "a": first, "b": second.absoluteString, "c.png": Data("third".utf8), "d": "fourth",
                    ]
                    var fractions: [Double] = []
                    let identifier = "sallyport-test-\(UUID().uuidString)"
                    let service = UploadService<AddPhotos>(uploadIdentifier: identifier) { progress in
                        fractions.append(progress.fractionCompleted)
                    }
                    let (response, error) = await outcome(of: service)
                    #expect(error == nil)
                    let text = response?.data?.text ?? ""
                    #expect(response?.data?.method == "POST")
                    #expect(text.components(separatedBy: #"name="photos""#).count == 5)
                    for part in ["1.txt", "2.txt", "c.png", "first", "second", "third", "fourth"] {
                        #expect(text.contains(part))
                    }
                    #expect(fractions.last == 1)
                }
            }
        }

        @Test(arguments: [nil, [:], ["number": 1]] as [[String: Int]?])
        func `An upload without files, or of another value, is an error before anything is sent`(
            parameters: [String: Int]?
        ) async throws {
            try await withBaseURL("http://127.0.0.1:1") {
                AddPhotos.parameters = parameters
                let service = UploadService<AddPhotos>(uploadIdentifier: nil, uploadProgressCallback: nil)
                let (response, error) = await outcome(of: service)
                #expect(response == nil)
                let isEmpty = parameters?.isEmpty ?? true
                let reason = isEmpty ? "there are no files" : "the parameter number is neither a file URL nor data"
                #expect(error?.reason == "AddPhotos: \(reason)")
            }
        }

        @Test func `A cancelled upload passes an error to its callback`() async throws {
            try await withScriptedServer([[.receiveHead, .stall]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    AddPhotos.parameters = ["file": Data("x".utf8)]
                    let service = UploadService<AddPhotos>(uploadIdentifier: nil, uploadProgressCallback: nil)
                    let cancellations = Watched<[Bool?]>([])
                    service.upload(withKey: "file") { _, error in
                        cancellations.update { $0.append(error?.transferError?.isCancellation) }
                    }
                    _ = try await server.connection(0)
                    service.cancelUploadRequest()
                    try await cancellations.wait("the callback") { !$0.isEmpty }
                    #expect(cancellations.value == [true])
                }
            }
        }
    }
}
