import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Sallyport
import SallyportTransfers

/// Resumable uploads (draft-ietf-httpbis-resumable-upload, interop version 6). The content is not stored.
///
/// SwiftNIO's `HTTPResumableUploadHandler` is not used: it connects channels, which Hummingbird does not support, and
/// forgets an upload that is complete.
@available(macOS 14, iOS 17, tvOS 17, *)
struct ResumableUploadRoutes: RouteGroup {
    private static let maximumLength: Int64 = 8 * 1024 * 1024 * 1024

    let routeDescriptions = [
        "/uploads":
            "POST, PUT: the length and the SHA-256 of the body, at most 8 GiB. An interrupted upload can be resumed "
            + "(draft-ietf-httpbis-resumable-upload); ?part=1000 limits each further request to that many bytes.",
        "/uploads/{name}":
            "HEAD: the offset. PATCH: appends bytes. DELETE: cancels the upload. GET: the upload's state, for an hour.",
    ]

    private let uploads = ResumableUploads()

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/uploads", use: create)
        router.put("/uploads", use: create)
        router.get("/uploads/{name}", use: describe)
        router.head("/uploads/{name}", use: describe)
        router.patch("/uploads/{name}", use: append)
        router.delete("/uploads/{name}") { _, context in
            let (name, upload) = try await upload(context)
            _ = upload.enter()
            await uploads.remove(name)
            return Response(status: .noContent)
        }
    }

    @Sendable private func create(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let uploadRequest = try UploadRequest(request)
        // A request without the fields of the draft contains the complete upload.
        let contentLength = request.headers[.contentLength].flatMap { Int64($0) }
        let length = uploadRequest == nil ? contentLength : uploadRequest?.length
        if let length, length > Self.maximumLength { throw NIOTooManyBytesError(maxBytes: Int(Self.maximumLength)) }
        let part: Int64 = try request.query("part", in: 0...Self.maximumLength, default: 0)
        let upload = ResumableUpload(length: length, maximumPartSize: part > 0 ? part : nil)
        let (writer, _) = upload.enter()
        guard let uploadRequest, let name = await uploads.add(upload) else {
            try await read(request, into: upload, by: writer)
            return try completionResponse(with: upload.complete(by: writer), request, context)
        }
        var head = HTTPResponse(status: .init(code: 104, reasonPhrase: "Upload Resumption Supported"))
        head.headerFields = fields(of: upload)
        head.headerFields[.location] = "/uploads/\(name)"
        context.channel.writeAndFlush(HTTPResponsePart.head(head), promise: nil)
        try await read(request, into: upload, by: writer)
        if uploadRequest.isComplete {
            return try completionResponse(with: upload.complete(by: writer), request, context)
        }
        return Response(status: .created, headers: fields(of: upload, and: [.location: "/uploads/\(name)"]))
    }

    @Sendable private func append(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let (_, upload) = try await upload(context)
        guard let uploadRequest = try UploadRequest(request), let offset = uploadRequest.offset else {
            throw HTTPError(
                .badRequest,
                message: "Upload-Offset, Upload-Complete and the draft's version 6 are needed."
            )
        }
        guard request.headers[.contentType] == UploadFields.partialUpload else {
            let headers: HTTPFields = [.acceptPatch: UploadFields.partialUpload]
            throw HTTPError(.unsupportedMediaType, headers: headers, message: "Send it as application/partial-upload.")
        }
        if let largest = upload.maximumPartSize, uploadRequest.contentLength ?? 0 > largest {
            throw HTTPError(.contentTooLarge, headers: fields(of: upload), message: "The part is too large.")
        }
        let (writer, status) = upload.enter()
        if status.isComplete { throw UploadRefusal.completed }
        guard offset == status.offset else {
            throw UploadRefusal.mismatchingOffset(expected: status.offset, provided: offset)
        }
        if let length = uploadRequest.length {
            if length > Self.maximumLength { throw NIOTooManyBytesError(maxBytes: Int(Self.maximumLength)) }
            guard upload.expect(length) else { throw UploadRefusal.inconsistentLength }
        }
        try await read(request, into: upload, by: writer)
        if uploadRequest.isComplete {
            return try completionResponse(with: upload.complete(by: writer), request, context)
        }
        return Response(status: .noContent, headers: fields(of: upload))
    }

    @Sendable private func describe(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let (_, upload) = try await upload(context)
        let status = request.method == .head ? upload.enter().status : upload.status
        var response = try Status(status).response(from: request, context: context)
        response.headers.append(contentsOf: fields(of: upload, and: [.cacheControl: "no-store"]))
        return response
    }

    /// Returns the upload in the path, with its name.
    private func upload(_ context: GatewayContext) async throws -> (String, ResumableUpload) {
        let name = try context.parameters.require("name")
        guard let upload = await uploads.upload(named: name) else {
            throw HTTPError(.notFound, message: "There is no such upload, or it has expired.")
        }
        return (name, upload)
    }

    /// Appends the body of a request, or as much as arrives before the connection ends.
    private func read(_ request: Request, into upload: ResumableUpload, by writer: Int) async throws {
        var count = 0
        for try await bytes in request.body {
            count += bytes.readableBytes
            guard upload.status.offset + Int64(bytes.readableBytes) <= Self.maximumLength else {
                throw NIOTooManyBytesError(maxBytes: Int(Self.maximumLength))
            }
            try upload.append(bytes, by: writer)
        }
        try request.checkComplete(count)
    }

    private func completionResponse(
        with status: ResumableUpload.Status,
        _ request: Request,
        _ context: GatewayContext
    ) throws -> Response {
        var response = try Status(status).response(from: request, context: context)
        response.headers[.uploadComplete] = "?1"
        response.headers[.uploadOffset] = "\(status.offset)"
        return response
    }

    private func fields(of upload: ResumableUpload, and others: HTTPFields = [:]) -> HTTPFields {
        let status = upload.status
        var fields = others
        fields[.uploadDraftInteropVersion] = UploadFields.version
        fields[.uploadComplete] = status.isComplete ? "?1" : "?0"
        fields[.uploadOffset] = "\(status.offset)"
        if let length = status.length { fields[.uploadLength] = "\(length)" }
        fields[.uploadLimit] =
            "max-size=\(Self.maximumLength), expires=\(ResumableUploads.lifetime)"
            + (upload.maximumPartSize.map { ", max-append-size=\($0)" } ?? "")
        return fields
    }
}

/// The description of an upload. For a complete upload it has the members of the response of ``UploadRoutes``.
private struct Status: ResponseEncodable {
    let length: Int64
    let sha256: String?

    init(_ status: ResumableUpload.Status) {
        length = status.offset
        sha256 = status.sha256
    }
}
