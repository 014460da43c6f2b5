import TestSupport

/// The texts that the samples have printed.
let printed = Watched<[String]>([])

/// Records what a sample prints, in place of the function of the standard library.
func print(_ item: Any) {
    printed.update { $0.append("\(item)") }
}
