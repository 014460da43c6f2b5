/// The media types of files.
public enum MediaType {
    /// Returns the media type for the extension of a file name.
    ///
    /// - Parameter name: The name or path of a file. The case of its extension is ignored.
    /// - Returns: The media type; `application/octet-stream` for an unknown extension.
    public static func ofFile(named name: String) -> String {
        let file = name.split(separator: "/").last ?? ""
        guard let dot = file.lastIndex(of: ".") else { return NetworkConstants.contentTypeBinary }
        return byExtension[file[file.index(after: dot)...].lowercased()] ?? NetworkConstants.contentTypeBinary
    }

    private static let byExtension = [
        "avif": "image/avif",
        "bin": "application/octet-stream",
        "css": "text/css",
        "csv": "text/csv",
        "gif": "image/gif",
        "gz": "application/gzip",
        "heic": "image/heic",
        "htm": "text/html",
        "html": "text/html",
        "ico": "image/vnd.microsoft.icon",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript",
        "json": "application/json",
        "m4a": "audio/mp4",
        "md": "text/markdown",
        "mov": "video/quicktime",
        "mp3": "audio/mpeg",
        "mp4": "video/mp4",
        "ogg": "audio/ogg",
        "pdf": "application/pdf",
        "png": "image/png",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "tif": "image/tiff",
        "tiff": "image/tiff",
        "txt": "text/plain",
        "wav": "audio/wav",
        "webm": "video/webm",
        "webp": "image/webp",
        "woff2": "font/woff2",
        "xml": "application/xml",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
    ]
}
