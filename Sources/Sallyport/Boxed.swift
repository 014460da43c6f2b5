/// A value that lies outside of what holds it: a copy costs a reference, until it is changed.
struct Boxed<Value: Sendable>: Sendable {
    // Sendable although it is mutable: it is changed by its only owner.
    private final class Box: @unchecked Sendable {
        var value: Value

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
