import Hummingbird

/// The list of all routes, at `/`.
@available(macOS 14, iOS 17, tvOS 17, *)
struct IndexRoom: Room {
    let guide: [String: String]

    init(rooms: [any Room]) {
        guide = rooms.reduce(into: ["/": "This list."]) { guide, room in
            guide.merge(room.guide) { first, _ in first }
        }
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/") { [guide] _, _ in
            Index(name: "Sallyport gateway", routes: guide)
        }
    }
}

private struct Index: ResponseEncodable {
    let name: String
    let routes: [String: String]
}
