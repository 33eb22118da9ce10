/// Numbers the identifiers of a store that has no row ids, because contexts know models by row id.
///
/// A number is given once and kept as long as the store is open, so that identifiers read from a
/// model always lead back to it.
final class IdentityTable {
  private var numbers: [PersistentIdentifier: Int64] = [:]
  private var identifiers: [PersistentIdentifier] = []

  /// The number of an identifier, a new one when it was never met.
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
