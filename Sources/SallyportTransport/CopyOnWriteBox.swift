/// A value in heap storage that copies share until one of them is changed.
///
/// Inlinable, so that access is specialized in other modules.
@usableFromInline
package struct CopyOnWriteBox<Value: Sendable>: Sendable {
    @usableFromInline
    // Unchecked: the value is changed only through a unique reference.
    final class Box: @unchecked Sendable {
        // Accesses need no check for exclusivity at run time, because each change accesses the owner of the unique reference exclusively.
        @exclusivity(unchecked) @usableFromInline var value: Value

        @inlinable
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var box: Box

    /// Creates a box with its value.
    @inlinable
    package init(_ value: Value) {
        box = Box(value)
    }

    /// The value.
    @inlinable
    package var value: Value {
        get { box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}
