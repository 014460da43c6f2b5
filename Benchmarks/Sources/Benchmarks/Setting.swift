import Comparing
import Foundation

/// The locations of the clients and servers that `run` has built and started.
struct Setting {
    private let environment = ProcessInfo.processInfo.environment

    struct Missing: Error, CustomStringConvertible {
        let name: String

        var description: String { "No \(name): this is not started by hand, but by Benchmarks/run." }
    }

    func client(_ name: String) throws -> String { try value("BENCHMARK_BINARIES") + "/" + name }

    func url(of work: Work) throws -> String {
        let base =
            switch work.server {
            case .plain: try value("BENCHMARK_PLAIN")
            case .tls: try value("BENCHMARK_TLS")
            case .http2: try value("BENCHMARK_HTTP2")
            case .sink: try value("BENCHMARK_SINK")
            case .sinkTLS: try value("BENCHMARK_SINK_TLS")
            case .sinkHTTP2: try value("BENCHMARK_SINK_HTTP2")
            case .gateway: try value("BENCHMARK_GATEWAY")
            case .none: ""
            }
        return base + work.path
    }

    /// Returns the certificate file of the authority that issued a server's certificate.
    func authority(of server: Work.Server) throws -> String {
        try value(server == .gateway ? "BENCHMARK_GATEWAY_AUTHORITY" : "BENCHMARK_AUTHORITY")
    }

    /// Returns the pin of a key in a server's chain.
    func pin(of server: Work.Server) throws -> String {
        try value(server == .gateway ? "BENCHMARK_GATEWAY_PIN" : "BENCHMARK_PIN")
    }

    /// The file with the gateway's public keys of payload encryption.
    var payloadKeys: String { get throws { try value("BENCHMARK_PAYLOAD_KEYS") } }

    /// The file to upload.
    var file: String { get throws { try value("BENCHMARK_DIRECTORY") + "/files/gigabyte" } }

    /// The destination of downloads.
    var saved: String { get throws { try value("BENCHMARK_SAVED") } }

    private func value(_ name: String) throws -> String {
        guard let value = environment[name] else { throw Missing(name: name) }
        return value
    }
}
