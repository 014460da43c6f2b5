private let gigabyte = 1 << 30

/// The cases that `Benchmarks/run` runs, in the order of its table.
package let allCases: [Case] =
    [
        // Small calls on persistent connections.
        Case(
            "get",
            "small GET, keep-alive, one task",
            Work(.get, .plain, calls: 10_000),
            .ratio(to: "floor", atMost: 1.15),
            .memory(atMost: 14),
            peers: [.prototype, .asyncHTTPClient, .urlSession, .wrk]
        ),
        Case(
            "get-tls",
            "the same over TLS",
            Work(.get, .tls, calls: 10_000),
            .ratio(atMost: 1.3),
            peers: [.prototype, .asyncHTTPClient, .wrk]
        ),
        Case(
            "get-64",
            "small GET, 64 tasks",
            Work(.get, .plain, calls: 20_000, tasks: 64),
            .ratio(atMost: 1.0),
            .ratio(to: "floor", atMost: 1.15),
            peers: [.prototype, .asyncHTTPClient, .urlSession, .wrk]
        ),
        Case(
            "get-64-tls",
            "the same over TLS",
            Work(.get, .tls, calls: 20_000, tasks: 64),
            .ratio(atMost: 0.9),
            peers: [.prototype, .asyncHTTPClient, .wrk]
        ),
        Case(
            "http2",
            "HTTP/2, 100 streams on one connection",
            Work(.get, .http2, calls: 20_000, tasks: 100),
            .ratio(atMost: 1.2),
            peers: [.asyncHTTPClient, .h2load]
        ),

        // Connections.
        Case(
            "connect",
            "new TLS 1.3 connections, full handshakes",
            Work(.connect, .tls, calls: 500),
            .ratio(atMost: 0.8),
            peers: [.asyncHTTPClient]
        ),
        Case(
            "pins",
            "a pinned new connection against an unpinned one",
            [
                Contender("unpinned", .sallyport, Work(.connect, .tls, calls: 500), peer: nil),
                Contender("pinned", .sallyport, Work(.connect, .tls, calls: 500, options: ["pin"]), peer: nil),
            ],
            targets: [.ratio(of: "pinned", to: "unpinned", atMost: 1.15)]
        ),

        // Large bodies, streamed.
        Case(
            "download",
            "1 GiB download",
            download(from: .plain),
            .ratio(atMost: 0.7),
            .memory(atMost: 32),
            peers: [.libcurlWithLargeBuffer, .asyncHTTPClient, .urlSession]
        ),
        Case(
            "download-tls",
            "the same over TLS",
            download(from: .tls),
            .ratio(atMost: 1.0),
            .memory(atMost: 32),
            peers: [.libcurlWithLargeBuffer, .asyncHTTPClient]
        ),
        Case(
            "download-http2",
            "the same over HTTP/2",
            download(from: .http2),
            .ratio(atMost: 0.8),
            .memory(atMost: 32),
            peers: [.asyncHTTPClient]
        ),
        Case(
            "upload",
            "1 GiB upload from memory",
            upload(to: .sink),
            .ratio(atMost: 0.4),
            .memory(atMost: 32),
            peers: [.asyncHTTPClient]
        ),
        Case(
            "upload-tls",
            "the same over TLS",
            upload(to: .sinkTLS),
            .ratio(atMost: 1.1),
            .memory(atMost: 32),
            peers: [.asyncHTTPClient]
        ),
        Case(
            "upload-http2",
            "the same over HTTP/2",
            upload(to: .sinkHTTP2),
            .memory(atMost: 32),
            peers: [.asyncHTTPClient]
        ),
        Case("upload-file", "1 GiB upload from a file", upload(to: .sink).with("file"), .memory(atMost: 32)),
        Case("upload-file-tls", "the same over TLS", upload(to: .sinkTLS).with("file"), .memory(atMost: 32)),

        // Transfers to and from files with crash safety, compared to libcurl's plain file access.
        transfer("save", "1 GiB download to a file", download(from: .plain).with("save")),
        transfer("save-tls", "the same over TLS", download(from: .tls).with("save")),
        transfer("send", "1 GiB upload of a file", upload(to: .sink).with("file", "transfer=1")),
        transfer("send-tls", "the same over TLS", upload(to: .sinkTLS).with("file", "transfer=1")),

        // Secured resource access. All clients of a case call the gateway.
        Case(
            "resource",
            "small GET from the gateway, secured step by step",
            [
                Contender("plain", .sallyport, resource, peer: nil),
                Contender("pinned", .sallyport, resource.with("pin"), peer: "plain"),
                Contender("ResourceClient", .resource, resource, peer: "plain"),
                Contender("… and integrity checks", .resource, resource.with("integrity"), peer: "plain"),
                Contender("… and encryption", .resource, resource.with("integrity", "encrypted"), peer: "plain"),
            ],
            targets: [.ratio(of: "pinned", to: "plain", atMost: 1.15)]
        ),
        Case(
            "resource-post",
            "small POST to the gateway, with JSON in both directions",
            [
                Contender("plain", .sallyport, resourcePost, peer: nil),
                Contender("ResourceClient", .resource, resourcePost, peer: "plain"),
                Contender("… and encryption", .resource, resourcePost.with("encrypted"), peer: "plain"),
            ]
        ),
        encrypted(
            "resource-download",
            "1 GiB download from the gateway, encrypted",
            Work(.download, .gateway, path: "/bytes/\(gigabyte)")
        ),
        encrypted(
            "resource-upload",
            "1 GiB upload to the gateway, encrypted",
            Work(.upload, .gateway, path: "/upload", calls: gigabyte)
        ),
        compared(.seal, "1 GiB encrypted in memory", "StreamSealer", to: "AES.GCM.seal"),
        compared(.open, "1 GiB decrypted in memory", "StreamOpener", to: "AES.GCM.open"),

        // Concurrent calls.
        Case(
            "hold",
            "10,000 requests held by the server",
            Work(.hold, .sink, path: "/10000", calls: 10_000, tasks: 10_000),
            .ratio(atMost: 0.8),
            .memoryPerCall(atMost: 10),
            rounds: 3,
            peers: [.prototype, .asyncHTTPClient]
        ),

        // The cost of further pipeline stages, and of the command-line tool.
        Case(
            "interceptors",
            "ten interceptors that do nothing",
            [
                Contender("none", .sallyport, Work(.get, .plain, calls: 10_000), peer: nil),
                Contender(
                    "ten",
                    .sallyport,
                    Work(.get, .plain, calls: 10_000, options: ["interceptors=10"]),
                    peer: nil
                ),
            ],
            targets: [.added(of: "ten", to: "none", atMost: 5)]
        ),
        Case(
            "cache",
            "small GET with a cache, in memory and in a directory",
            [
                Contender("none", .sallyport, Work(.get, .plain, path: "/cached", calls: 10_000), peer: nil),
                cached("hit, memory", "/cached", "cache=memory"),
                cached("miss, memory", "/cached", "cache=memory", "reload"),
                cached("validation, memory", "/validated", "cache=memory"),
                cached("hit, directory", "/cached", "cache=directory"),
                cached("miss, directory", "/cached", "cache=directory", "reload"),
                cached("validation, directory", "/validated", "cache=directory"),
            ]
        ),
        Case(
            "start",
            "the command line's cold start, one GET, wall",
            [
                Contender("curl", .curlCommand, Work(.start, .plain), peer: "curl"),
                Contender("sallyport", .sallyportCommand, Work(.start, .plain), peer: "curl"),
            ],
            measure: .wall,
            rounds: 60,
            targets: [.ratio(to: "curl", atMost: 0.9)]
        ),
    ] + growth

/// The cost of a call with other concurrent calls, and with many hosts. It is flat if within 15% of the median.
private let growth = [
    growing(
        "growth-calls",
        "from 1 to 10,000 concurrent calls",
        by: "calls",
        through: [1, 16, 64, 1_000, 10_000],
        middle: 64,
        peers: [.prototype]
    ) { Work(.get, .plain, calls: max(20_000, $0 * 4), tasks: $0) },
    growing(
        "growth-hosts",
        "from 1 to 1,000 hosts, one task",
        by: "hosts",
        through: [1, 10, 100, 1_000],
        middle: 10,
        targets: [10, 100].map {
            .ratio(of: "sallyport, \($0) hosts", to: "libcurl, \($0) hosts", atMost: 1.2)
        }
    ) { Work(.get, .plain, calls: 20_000, options: ["hosts=\($0)"]) },
]

/// A long run, which is not part of the default cases. Connections are replaced after every thousand calls.
package let soak = Case(
    "soak",
    "ten million calls",
    [
        Contender(
            "sallyport",
            .sallyport,
            Work(.get, .tls, path: "/renewed", calls: 10_000_000, tasks: 4, options: ["watch=60"])
        )
    ],
    rounds: 1
)

private func download(from server: Work.Server) -> Work { Work(.download, server, path: "/gigabyte") }

/// A client with a cache, compared with none.
private func cached(_ name: String, _ path: String, _ options: String...) -> Contender {
    Contender(name, .sallyport, Work(.get, .plain, path: path, calls: 10_000, options: options), peer: "none")
}

private func upload(to server: Work.Server) -> Work { Work(.upload, server, path: "/sink", calls: gigabyte) }

/// Compared by elapsed time, as transfers wait for the disk: 0.9 of libcurl's throughput is 1.11 of its time.
private func transfer(_ name: String, _ title: String, _ work: Work) -> Case {
    Case(
        name,
        title,
        [Contender("libcurl", .libcurl, work), Contender("sallyport", .sallyport, work)]
            + (work.kind == .download ? [Peer.libcurlWithLargeBuffer.contender(for: work)] : []),
        measure: .wall,
        rounds: 7,
        targets: [.ratio(atMost: 1.11), .memoryAboveIdle(atMost: 32)]
    )
}

private let resource = Work(.get, .gateway, path: "/health", calls: 5_000)

private let resourcePost = Work(.get, .gateway, path: "/echo", calls: 5_000, options: ["json"])

/// A body with payload encryption, compared with the same body without.
private func encrypted(_ name: String, _ title: String, _ work: Work) -> Case {
    Case(
        name,
        title,
        [
            Contender("plain", .sallyport, work, peer: nil),
            Contender("encrypted", .resource, work.with("encrypted"), peer: "plain"),
        ],
        rounds: 3,
        targets: [.memoryAboveIdle(of: "encrypted", atMost: 32)]
    )
}

/// The encryption of a body in segments, compared with AES-GCM alone, for contents of the same length and for those of 256 KiB: 0.8
/// of its throughput is 1.25 of its time.
private func compared(_ kind: Work.Kind, _ title: String, _ client: String, to raw: String) -> Case {
    let work = Work(kind, .none, calls: gigabyte)
    let largeRaw = "\(raw), 256 KiB"
    return Case(
        kind.rawValue,
        title,
        [
            Contender(raw, .resource, work.with("raw=65520"), peer: nil),
            Contender(client, .resource, work, peer: raw),
            Contender(largeRaw, .resource, work.with("raw=262144"), peer: raw),
        ],
        targets: [.ratio(of: client, to: raw, atMost: 1.25), .ratio(of: client, to: largeRaw, atMost: 1.25)]
    )
}

private func growing(
    _ name: String,
    _ title: String,
    by unit: String,
    through counts: [Int],
    middle: Int,
    peers: [Peer] = [],
    targets: [Target] = [],
    work: (Int) -> Work
) -> Case {
    Case(
        name,
        title,
        counts.flatMap { count in
            [
                Contender("libcurl, \(count) \(unit)", .libcurl, work(count), peer: nil),
                Contender("sallyport, \(count) \(unit)", .sallyport, work(count), peer: "libcurl, \(count) \(unit)"),
            ] + peers.map { $0.contender(for: work(count), among: "\(count) \(unit)") }
        },
        rounds: 3,
        targets: targets
            + counts.filter { $0 != middle }.map {
                .ratio(of: "sallyport, \($0) \(unit)", to: "sallyport, \(middle) \(unit)", atMost: 1.15)
            }
    )
}
