/// A value in heap storage that copies share until one of them is changed.
struct CopyOnWriteBox<Value: Sendable>: Sendable {
    // Unchecked: the value is changed only through a unique reference.
    private final class Box: @unchecked Sendable {
        // Accesses need no check for exclusivity at run time, because each change accesses the owner of the unique reference exclusively.
        @exclusivity(unchecked) var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    init(_ value: Value) {
        box = Box(value)
    }

    var value: Value {
        get { box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}
