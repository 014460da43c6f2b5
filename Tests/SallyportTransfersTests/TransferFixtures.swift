import SallyportTransfers
import TestSupport

extension TransferError {
    /// The name of the case of its reason.
    var kind: String { caseName(of: reason) }
}
