import SwiftDataCore

/// A column whose texts weren't unique before: they are composed, as a store writes unique ones.
package struct TextComposition: Sendable {
  /// The entity, when others share its table.
  let entity: String?
  package let table: String
  package let column: String
  /// The name under which values are encrypted; nil for plain ones.
  package let sealedName: String?

  /// Returns the row IDs and the values. It ends with its conditions.
  package var query: String {
    let column = SQLIdentifier.quoted(column)
    let own =
      entity.map {
        " AND \(SQLIdentifier.quoted(EntityFamily.discriminator)) = \(SQLIdentifier.literal($0))"
      } ?? ""
    return "SELECT \(SQLIdentifier.rowID), \(column) FROM \(SQLIdentifier.quoted(table))"
      + " WHERE \(column) IS NOT NULL\(own)"
  }

  /// Takes a value and a row ID.
  package var update: String {
    "UPDATE \(SQLIdentifier.quoted(table)) SET \(SQLIdentifier.quoted(column)) = ?"
      + " WHERE \(SQLIdentifier.rowID) = ?"
  }

  /// The value to store instead; nil for one that stays.
  package func change(of value: SQLValue, _ cipher: ColumnCipher?) -> SQLValue? {
    guard case .text(let text) = value.opened(by: cipher, names: sealedName.map { [$0] } ?? []),
      let composed = CanonicalText.change(of: text)
    else { return nil }
    guard let sealedName else { return .text(composed) }
    return cipher.map { cipher in
      .blob(
        cipher.seal([_Cell.Kind.text.rawValue] + Array(composed.utf8), column: sealedName))
    }
  }
}

/// A constraint among whose texts some may be equal in Swift, and different for the database.
package struct UniqueTextCheck: Sendable {
  struct Column: Sendable {
    let kind: ColumnKind
    /// The names under which values may be encrypted.
    let sealedNames: [String]
  }

  package let entity: String
  package let property: String
  /// Returns the row ID, then the columns of the constraint, of rows in which all have a value.
  package let query: String
  let columns: [Column]
  /// The problem and its solution, for a number of rows.
  package let explanation: @Sendable (Int) -> String

  package var kinds: [ColumnKind] { columns.map(\.kind) }

  fileprivate func opened(_ values: [SQLValue], _ cipher: ColumnCipher?) -> [SQLValue] {
    zip(values, columns).map { $0.opened(by: cipher, names: $1.sealedNames) }
  }
}

/// Finds rows with equal values, in two passes over all rows, so that only those with texts that aren't composed are
/// kept in memory.
package struct EqualTexts {
  private let check: UniqueTextCheck
  private let cipher: ColumnCipher?
  private var rows: [[SQLValue]: [Int64]] = [:]

  package init(_ check: UniqueTextCheck, _ cipher: ColumnCipher?) {
    self.check = check
    self.cipher = cipher
  }

  /// Whether all texts of the first pass were composed, so that the database has compared them correctly.
  package var isEmpty: Bool { rows.isEmpty }

  /// The first pass.
  package mutating func collect(_ values: [SQLValue]) {
    let values = check.opened(values, cipher)
    let isUncomposed = values.contains {
      if case .text(let text) = $0 { CanonicalText.change(of: text) != nil } else { false }
    }
    if isUncomposed { rows[values] = [] }
  }

  /// The second pass.
  package mutating func compare(_ values: [SQLValue], rowID: Int64) {
    // Swift compares texts by canonical equivalence.
    rows[check.opened(values, cipher)]?.append(rowID)
  }

  /// The rows that share their values, those with equal ones side by side.
  package var equal: [Int64] {
    rows.values.filter { $0.count > 1 }.sorted { ($0.first ?? 0) < ($1.first ?? 0) }.flatMap(\.self)
  }
}

extension SQLValue {
  /// The text in an encrypted value; any other value as it is.
  fileprivate func opened(by cipher: ColumnCipher?, names: [String]) -> SQLValue {
    guard let cipher, case .blob(let sealed) = self else { return self }
    for name in names {
      if let plain = cipher.open(sealed, column: name), let value = CellBytes.decode(plain),
        value.kind == .text
      {
        return .text(String(decoding: value.bytes, as: UTF8.self))
      }
    }
    return self
  }
}
