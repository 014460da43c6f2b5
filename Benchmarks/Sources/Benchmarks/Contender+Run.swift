import Comparing
import Foundation

extension Contender {
    /// Runs the client once.
    func run(in setting: Setting) throws -> Sample {
        let command = try command(in: setting)
        let child = try Child.run(command)
        switch program {
        case .sallyport, .resource, .libcurl, .asyncHTTPClient, .urlSession, .prototype:
            return try JSONDecoder().decode(Sample.self, from: Data(child.output.utf8))
        case .sallyportCommand, .curlCommand: return sample(of: child, calls: 1)
        case .wrk:
            guard let found = child.output.firstMatch(of: #/(\d+) requests in/#), let calls = Int(found.1), calls > 0,
                !child.output.contains("Socket errors"), !child.output.contains("Non-2xx")
            else { throw Child.Failure(command: command, reason: child.output) }
            return sample(of: child, calls: calls)
        case .h2load:
            guard child.output.contains(" \(work.calls) succeeded") else {
                throw Child.Failure(command: command, reason: child.output)
            }
            return sample(of: child, calls: work.calls)
        }
    }

    private func command(in setting: Setting) throws -> [String] {
        let url = try setting.url(of: work)
        switch program {
        case .sallyport, .resource, .libcurl, .asyncHTTPClient, .urlSession, .prototype:
            return try [
                setting.client("client-\(program.rawValue)"), work.kind.rawValue, url, String(work.calls),
                String(work.tasks),
            ] + options(in: setting)
        case .wrk: return ["wrk", "-t1", "-c\(work.tasks)", "-d1s", url]
        case .h2load: return ["h2load", "-n\(work.calls)", "-c1", "-m\(work.tasks)", url]
        case .sallyportCommand: return try [setting.client("sallyport"), "get", url]
        case .curlCommand: return ["curl", "-s", url]
        }
    }

    private func options(in setting: Setting) throws -> [String] {
        var options = work.options
        for (index, option) in options.enumerated() {
            switch option {
            case "pin": options[index] = try "pin=\(setting.pin(of: work.server))"
            case "encrypted": options[index] = try "encrypted=\(setting.payloadKeys)"
            case "file": options[index] = try "file=\(setting.file)"
            case "save": options[index] = try "save=\(setting.saved)"
            default: break
            }
        }
        switch work.server {
        case .plain, .sink, .none: break
        case .tls, .sinkTLS, .gateway: options.append("ca=\(try setting.authority(of: work.server))")
        case .http2, .sinkHTTP2: options += ["http2=1", "ca=\(try setting.authority(of: work.server))"]
        }
        return options
    }

    /// Runs a program that does not measure itself. Its cost includes startup and exit, and its memory is unknown (`ru_maxrss`
    /// of a process starts with the value of its parent).
    private func sample(of child: Child, calls: Int) -> Sample {
        Sample(
            cpuMicroseconds: child.cpuMicroseconds / Double(calls),
            wallMicroseconds: child.wallMicroseconds / Double(calls)
        )
    }
}
