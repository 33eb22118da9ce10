/// Assigns numbers to the identifiers of a store without row IDs, because contexts identify models by row ID.
///
/// A number is assigned once and kept as long as the store is open, so that identifiers read from a model always lead
/// back to the model.
final class RowIDAssignment {
  private var numbers: [PersistentIdentifier: Int64] = [:]
  private var identifiers: [PersistentIdentifier] = []

  /// Returns the number of an identifier, assigning a new one when the identifier is new.
  func number(of identifier: PersistentIdentifier) -> (rowID: Int64, isNew: Bool) {
    if let number = numbers[identifier] { return (number, false) }
    identifiers.append(identifier)
    let number = Int64(identifiers.count)
    numbers[identifier] = number
    return (number, true)
  }

  subscript(number: Int64) -> PersistentIdentifier? {
    guard number > 0, number <= Int64(identifiers.count) else { return nil }
    return identifiers[Int(number) - 1]
  }
}
