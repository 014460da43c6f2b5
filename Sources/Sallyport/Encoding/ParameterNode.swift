/// An encoded value: a text, or nested values by name or in order.
///
/// It is a class because containers are filled while others refer to them. It does not outlive the call that encodes.
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
    /// A Boolean value that indicates whether the order of the members has no meaning.
    var isUnordered = false
    private var byName: [String: ParameterNode] = [:]

    func set(_ text: String) { content = .text(text) }

    func setNull() { content = .null }

    /// Turns the node into an object, unless it is one already: a class and its superclass may encode into the same node.
    func becomeObject() {
        if case .members = content { return }
        content = .members([])
    }

    /// Turns the node into an array, unless it is one already.
    func becomeArray() {
        if case .elements = content { return }
        content = .elements([])
    }

    /// The number of elements.
    var count: Int {
        if case .elements(let elements) = content { elements.count } else { 0 }
    }

    func member(_ name: String) -> ParameterNode? { byName[name] }

    /// Adds a member, which replaces a member of the same name, and returns it.
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

    /// Adds an element, and returns it.
    func addElement() -> ParameterNode {
        guard case .elements(var elements) = content else { return ParameterNode() }
        let node = ParameterNode()
        content = .nothing
        elements.append(node)
        content = .elements(elements)
        return node
    }
}
