import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationEssentialsCompat
import Sallyport

/// Files in memory to download, replace and delete. A download can be slowed down or interrupted.
@available(macOS 14, iOS 17, tvOS 17, *)
struct FilesRoutes: RouteGroup {
    private static let maximumSeconds = 600

    let routeDescriptions = [
        "/files": "GET: the list of files.",
        "/files/{name}":
            "PUT: stores the body as a file in memory, at most 64 MiB; GET, DELETE: the file, with one range, If-Range, "
            + "validators, and the Repr-Digest that Want-Repr-Digest requests.",
        "/files/{name}?rate=65536&cut=1000&token=a":
            "GET: the file at that rate in bytes per second; the first download with a token ends after cut bytes.",
    ]

    /// Adds the routes with a new store: each gateway has its own files.
    func addRoutes(to router: Router<GatewayContext>) {
        let store = FileStore()
        router.get("/files") { _, _ in store.list }
        router.get("/files/{name}") { request, context in
            guard let file = store[try name(context)] else {
                throw HTTPError(.notFound, message: "There is no such file.")
            }
            return try response(to: request, with: file, in: store)
        }
        router.put("/files/{name}") { request, context in
            let name = try name(context)
            let type = request.headers[.contentType] ?? MediaType.ofFile(named: name)
            let tags = FileConditions(request)
            return try await store.incoming.withBody(of: request, upTo: FileStore.maximumFileSize) { content in
                let (file, isNew) = try store.put(StoredFile(name: name, contentType: type, content: content), if: tags)
                return Response(status: isNew ? .created : .noContent, headers: file.validators.headers)
            }
        }
        router.delete("/files/{name}") { request, context in
            try store.delete(try name(context), if: FileConditions(request))
            return Response(status: .noContent)
        }
    }

    private func name(_ context: GatewayContext) throws -> String {
        let name = try context.parameters.require("name").percentDecoded
        guard !name.isEmpty, name.utf8.count <= 255, !name.contains("/"), name != ".", name != "..",
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw HTTPError(.badRequest, message: "The file name is invalid.") }
        return name
    }

    private func response(to request: Request, with file: StoredFile, in store: FileStore) throws -> Response {
        let rate = try request.query("rate", in: 1...Int.max, default: Int.max)
        guard file.content.readableBytes / rate <= Self.maximumSeconds else {
            throw HTTPError(.badRequest, message: "At that rate, it would take more than \(Self.maximumSeconds) s.")
        }
        var cut = try request.query("cut", in: 0...Int.max, default: Int.max)
        let token = request.query("token") ?? ""
        guard token.utf8.count <= 256 else {
            throw HTTPError(.badRequest, message: "The token has more than 256 bytes.")
        }
        if request.method != .get || cut < Int.max && !store.recordCut(token, of: file.name) {
            cut = Int.max
        }
        var headers: HTTPFields = [.contentType: file.contentType, .contentDisposition: file.disposition]
        let wanted = HTTPField.Name("Want-Repr-Digest").flatMap { request.headers[$0] }
        file.addDigest(wanted: wanted, to: &headers)
        return Response.ranged(
            to: request,
            count: file.content.readableBytes,
            validators: file.validators,
            headers: headers
        ) { [cut] range in
            file.body(range, rate: rate, cut: cut)
        }
    }
}

/// The error that interrupts a download on request.
private struct CutTransfer: Error {}

@available(macOS 14, iOS 17, tvOS 17, *)
extension StoredFile {
    /// Returns a body of the bytes in a range.
    ///
    /// - Parameters:
    ///   - range: The range.
    ///   - rate: The number of bytes per second.
    ///   - cut: The number of bytes after which the connection is closed.
    fileprivate func body(_ range: Range<Int>, rate: Int, cut: Int) -> ResponseBody {
        ResponseBody(contentLength: range.count) { [content] writer in
            let end = cut < range.count ? range.lowerBound + cut : range.upperBound
            // Twenty writes a second.
            let piece = max(1, min(64 * 1024, rate / 20))
            let start = ContinuousClock.now
            for offset in stride(from: range.lowerBound, to: end, by: piece) {
                let due: Duration = rate == Int.max ? .zero : .seconds(Double(offset - range.lowerBound) / Double(rate))
                let late = ContinuousClock.now - start
                if due > late { try await pause(Int((due - late) / .milliseconds(1))) }
                let length = min(piece, end - offset)
                guard let slice = content.getSlice(at: content.readerIndex + offset, length: length) else { break }
                try await writer.write(slice)
            }
            if end < range.upperBound { throw CutTransfer() }
            try await writer.finish(nil)
        }
    }
}
