import Foundation
import Sallyport

// Uses a directory of stored responses, as one of several processes that the tests start and kill.
//
// CacheWorker FOLDER store N     stores a response of the resource N, and writes its identifier
// CacheWorker FOLDER show N      writes the identifier of the stored response of the resource N after reading its body
// CacheWorker FOLDER remove N    removes the stored responses of the resource N, and writes a line
// CacheWorker FOLDER call 0      makes a call with credentials for each line, a URL, and writes the decision of the cache and the body
// CacheWorker FOLDER work 0      writes a line, and then stores, reads, confirms and removes responses until it is killed
//
// Except for calls, the body of a response consists of its identifier, repeated.
let arguments = CommandLine.arguments
guard arguments.count == 4, let number = Int(arguments[3]) else { exit(64) }
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let storage = DirectoryCacheStorage(at: URL(fileURLWithPath: arguments[1]), maximumSize: 6 << 20)

func digest(_ number: Int) -> String { String(format: "%064x", number) }

func key(_ number: Int) -> HttpCacheKey { HttpCacheKey(resource: digest(number), partition: digest(1)) }

func body(of id: UUID, length: Int) -> Data {
    Data((0...length / 36).map { _ in id.uuidString }.joined().utf8.prefix(length))
}

func makeHead(_ number: Int) -> HttpCacheHead {
    HttpCacheHead(
        url: "https://api.example.com/\(number)",
        variant: digest(0),
        status: 200,
        fields: [:],
        requestTime: Date(),
        responseTime: Date()
    )
}

func store(_ number: Int, length: Int) async throws -> UUID {
    let head = makeHead(number)
    let writer = try await storage.begin(head, for: key(number))
    let bytes = body(of: head.id, length: length)
    for start in stride(from: 0, to: length, by: 20_000) {
        try await writer.append(bytes[start..<min(start + 20_000, length)])
    }
    try await writer.commit()
    return head.id
}

/// Returns the identifier of a stored response; `nil` if there is none. Ends the process if the body is wrong.
func check(_ number: Int) async throws -> UUID? {
    guard let entry = try await storage.entries(for: key(number)).first, let reader = try await storage.open(entry)
    else {
        return nil
    }
    defer { reader.close() }
    var bytes = Data()
    while Int64(bytes.count) < entry.bodyLength {
        bytes += try await reader.read(at: Int64(bytes.count), upTo: 100_000)
    }
    guard bytes == body(of: entry.head.id, length: bytes.count), Int64(bytes.count) == entry.bodyLength else {
        say("wrong")
        exit(1)
    }
    return entry.head.id
}

/// Stores, reads, confirms or removes responses of a resource.
func work(on resource: Int) async throws {
    switch Int.random(in: 0..<10) {
    case 0:
        try await storage.removeAll(of: digest(resource))
    case 1, 2:
        _ = try await check(resource)
    case 3:
        guard let entry = try await storage.entries(for: key(resource)).first else { return }
        var head = entry.head
        head.responseTime = Date()
        try await storage.replaceHead(of: entry, with: head)
    default:
        _ = try await store(resource, length: [0, 100, 70_000, 300_000, 1_500_000].randomElement() ?? 0)
    }
}

switch arguments[2] {
case "store":
    say("\(try await store(number, length: 100_000))")
case "show":
    say(try await check(number).map { "\($0)" } ?? "none")
case "remove":
    try await storage.removeAll(of: digest(number))
    say("removed")
case "call":
    let client = HttpClient.createClient { config in config.cache = HttpCache(storage: storage) }
    while let url = readLine() {
        let response = try await client.request { request in
            request.url = url
            request.setHeader(name: "Authorization", value: "Bearer alice")
        }
        say("\(response.cacheStatus?.description ?? "no cache"): \(response.bodyAsString())")
    }
    client.close()
case "work":
    say("ready")
    while true {
        do {
            try await work(on: Int.random(in: 0..<20))
        } catch HttpCacheStorageError.invalidated {
            // The other process has removed the responses of the resource meanwhile.
        }
    }
default: exit(64)
}
