/// A value on its way into a query: a text, or others by name or in order.
///
/// It is an object, as containers are filled while others hold them. It never leaves the call that encodes.
final class ParameterNode {
    enum Content {
        /// Nothing has been encoded.
        case nothing
        case null
        case text(String)
        case members([String])
        case elements([ParameterNode])
    }

    private(set) var content = Content.nothing
    /// Whether the members have no order of their own.
    var isUnordered = false
    private var byName: [String: ParameterNode] = [:]

    func set(_ text: String) { content = .text(text) }

    func setNull() { content = .null }

    /// Makes it an object, unless it is one: a class and its superclass may write into the same.
    func becomeObject() {
        if case .members = content { return }
        content = .members([])
    }

    /// Makes it an array, unless it is one.
    func becomeArray() {
        if case .elements = content { return }
        content = .elements([])
    }

    /// The number of elements.
    var count: Int {
        if case .elements(let elements) = content { elements.count } else { 0 }
    }

    func member(_ name: String) -> ParameterNode? { byName[name] }

    /// A member, in place of one of the same name.
    func addMember(_ name: String) -> ParameterNode {
        guard case .members(var names) = content else { return ParameterNode() }
        let node = ParameterNode()
        if byName.updateValue(node, forKey: name) == nil {
            content = .nothing
            names.append(name)
            content = .members(names)
        }
        return node
    }

    /// A further element.
    func addElement() -> ParameterNode {
        guard case .elements(var elements) = content else { return ParameterNode() }
        let node = ParameterNode()
        content = .nothing
        elements.append(node)
        content = .elements(elements)
        return node
    }
}
