import Foundation
import SwiftDataCore
import WireFormats

/// Converts a row's cells to values for a server, and back.
extension ModelForm {
  /// Returns the value of an attribute's columns.
  func value(of property: Int, in row: RowCopy) -> SyncValue {
    if let bytes = attachmentBytes(of: property, in: row) { return SyncAttachment(of: bytes).value }
    let columns = plan.properties[property].columns
    if columns.count == 1, let column = columns.first, plan.columns[column].members.isEmpty {
      return Self.value(row.cells[column], plan.columns[column], row)
    }
    var members: [String: SyncValue] = [:]
    for column in columns {
      let cell = row.cells[column]
      if plan.columns[column].kind == .presence {
        if cell.kind == .null { return .null }
      } else {
        Self.set(
          Self.value(cell, plan.columns[column], row), at: plan.columns[column].members[...],
          in: &members)
      }
    }
    return .object(members)
  }

  private static func set(
    _ value: SyncValue, at path: ArraySlice<String>, in members: inout [String: SyncValue]
  ) {
    guard let first = path.first else { return }
    guard path.count > 1 else {
      members[first] = value
      return
    }
    var inner: [String: SyncValue] = [:]
    if case .object(let known) = members[first] { inner = known }
    set(value, at: path.dropFirst(), in: &inner)
    members[first] = .object(inner)
  }

  /// The maximum number of levels of the JSON in a column.
  private static func maximumDepth(_ column: ColumnPlan) -> Int {
    SyncJSON.maximumValueDepth - column.members.count
  }

  private static func value(_ cell: _Cell, _ column: ColumnPlan, _ row: RowCopy) -> SyncValue {
    func bytes() -> ArraySlice<UInt8> { row.arena[Int(cell.bits)..<Int(cell.bits) + cell.count] }
    switch (column.kind, cell.kind) {
    case (_, .null): return .null
    case (.boolean, .integer): return .boolean(cell.bits != 0)
    case (.unsigned, .blob):
      return .text(String(bytes().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    case (_, .integer): return .integer(cell.bits)
    case (_, .real):
      let real = Double(bitPattern: UInt64(bitPattern: cell.bits))
      return real.isFinite ? .real(real) : .text(real < 0 ? "-inf" : "inf")
    case (.json, .text):
      // The store wrote it, so it is JSON. Any other text is kept as it is, and JSON with too many levels, which the
      // other side sets aside or rejects: it doesn't fit the property.
      return (try? SyncJSON.parse(bytes(), maximumDepth: maximumDepth(column)))
        ?? .text(String(decoding: bytes(), as: UTF8.self))
    case (_, .text): return .text(String(decoding: bytes(), as: UTF8.self))
    case (.uuid, .blob) where cell.count == 16:
      return .text(UUIDText.text(bytes()))
    case (_, .blob): return .text(Data(bytes()).base64EncodedString())
    }
  }

  // MARK: Cells

  /// Appends the columns of an attribute; an attachment gets an empty blob, because its bytes aren't known here.
  ///
  /// - Returns: False when the value doesn't fit.
  func append(_ value: SyncValue, of property: Int, to row: inout _RowWriter) -> Bool {
    if attachment(value, of: property) != nil {
      row.append(blob: [])
      return true
    }
    let columns = plan.properties[property].columns
    if columns.count == 1, let column = columns.first, plan.columns[column].members.isEmpty {
      return Self.append(value, plan.columns[column], to: &row)
    }
    for column in columns {
      let planned = plan.columns[column]
      if planned.kind == .presence {
        if value == .null { row.appendNull() } else { row.append(integer: 1) }
      } else if value == .null {
        row.appendNull()
      } else {
        var member = value
        for name in planned.members {
          guard case .object(let members) = member else { return false }
          member = members[name] ?? .null
        }
        guard Self.append(member, planned, to: &row) else { return false }
      }
    }
    return true
  }

  static func append(
    _ value: SyncValue, _ column: ColumnPlan, to row: inout _RowWriter
  ) -> Bool {
    if value == .null {
      row.appendNull()
      return column.isOptional
    }
    switch (column.kind, value) {
    case (.boolean, .boolean(let flag)): row.append(integer: flag ? 1 : 0)
    case (.integer, .integer(let integer)): row.append(integer: integer)
    case (.unsigned, .integer(let integer)) where integer >= 0: row.append(integer: integer)
    case (.unsigned, .text(let text)):
      guard let number = UInt64(text), number > UInt64(Int64.max) else { return false }
      row.append(blob: (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    case (.real, .text("NaN")): row.append(real: .nan)
    case (.real, .text("inf")), (.date, .text("inf")): row.append(real: .infinity)
    case (.real, .text("-inf")), (.date, .text("-inf")): row.append(real: -.infinity)
    case (.real, .real(let real)), (.date, .real(let real)): row.append(real: real)
    case (.real, .integer(let integer)), (.date, .integer(let integer)):
      row.append(real: Double(integer))
    case (.text, .text(let text)), (.url, .text(let text)), (.decimal, .text(let text)):
      row.append(text: text)
    case (.decimal, .integer(let integer)): row.append(text: String(integer))
    case (.json, let value):
      guard holds(value, column) else { return false }
      row.append(text: String(decoding: value.json, as: UTF8.self))
    case (.uuid, .text(let text)):
      guard let number = UUIDText.number(text) else { return false }
      withUnsafeBytes(of: number.bigEndian) { row.append(blob: $0) }
    case (.data, .text(let text)):
      guard let data = Data(base64Encoded: text) else { return false }
      row.append(blob: data)
    default: return false
    }
    return true
  }

  /// Whether a column of JSON can have a value: neither one with too many levels, nor the text that stands for such a
  /// value, which a type that takes any JSON would keep as a text.
  private static func holds(_ value: SyncValue, _ column: ColumnPlan) -> Bool {
    guard case .text(let text) = value else {
      return value.hasLevels(atMost: maximumDepth(column))
    }
    guard let first = text.utf8.first, [UInt8(ascii: "["), UInt8(ascii: "{")].contains(first)
    else { return true }
    do { _ = try SyncJSON.parse(text.utf8, maximumDepth: maximumDepth(column)) } catch {
      return (error as? JSONError)?.reason != .depth
    }
    return true
  }

  /// Returns the name of a property whose value is only the text that stands for JSON with too many levels.
  func propertyBeyondDepth(in values: SyncValues) -> String? {
    attributes.lazy.map { plan.properties[$0] }.first { property in
      guard let value = values[property.name] else { return false }
      return property.columns.contains { index in
        let column = plan.columns[index]
        var member: SyncValue? = value
        for name in column.members {
          guard case .object(let members) = member else { return false }
          member = members[name]
        }
        guard column.kind == .json, case .some(.text) = member, let member else { return false }
        return !Self.holds(member, column)
      }
    }?.name
  }

  // MARK: Complete objects

  /// The members of complete values, in order.
  var memberOrder: MemberOrder {
    MemberOrder(
      (attributes + relationships.map(\.property)).map { plan.properties[$0].name }
        + lists.map(\.name))
  }

  /// Returns a row with the attributes' columns of `values`; all other columns are NULL or have a default value.
  ///
  /// - Returns: nil when a value is missing or doesn't fit.
  func row(_ values: SyncValues) throws -> RowCopy? {
    var row = _RowWriter(plan: plan)
    for (index, property) in plan.properties.enumerated() where !property.columns.isEmpty {
      row.property = index
      if isTaken[index] {
        guard let value = values[property.name], append(value, of: index, to: &row) else {
          return nil
        }
      } else {
        appendFixed(index, to: &row)
      }
    }
    let snapshot = row.rowCopy
    guard !checked.isEmpty else { return snapshot }
    let isHeld = snapshot.withCells { cells in checked.allSatisfy { plan.holds($0, in: cells) } }
    return isHeld ? snapshot : nil
  }

  /// Appends the columns of a property that isn't synchronized, with the values of every new row.
  func appendFixed(_ index: Int, to row: inout _RowWriter) {
    let property = plan.properties[index]
    row.property = index
    if property.relationship == nil {
      row.write(erased: local.values[index] ?? property.defaultValue)
    } else {
      for _ in property.columns { row.appendNull() }
    }
  }

  /// Whether every value that fits the column is valid for the type.
  static func isSimple(_ property: PropertyPlan) -> Bool {
    let type = PropertyShape.unwrapped(property.valueType).type
    return type == String.self || type == Int.self || type == Double.self || type == Bool.self
      || type == Date.self || type == UUID.self || type == Data.self
  }

  /// See ``SyncStorage/complete(_:of:over:)``.
  func complete(_ values: SyncValues, key: String, over known: SyncValues?) throws -> SyncValues? {
    try completed(values, key: key, over: known)?.values
  }

  /// Does the same as ``complete(_:key:over:)`` and also returns the row of the values, without relationships.
  func completed(
    _ values: SyncValues, key: String, over known: SyncValues?
  ) throws -> (values: SyncValues, row: RowCopy)? {
    guard binding(ofKey: key) != nil else { return nil }
    var complete: SyncValues = [:]
    for index in attributes {
      let property = plan.properties[index]
      if index == self.key {
        complete[property.name] = value(ofKey: key)
      } else if let value = values[property.name] ?? known?[property.name] {
        complete[property.name] = value
      } else if let value = annotations?[property.name] {
        complete[property.name] = value
      } else if let row = try plan.defaultRow(of: index) {
        complete[property.name] = defaultValue(of: index, row)
      } else if property.isOptional {
        complete[property.name] = .null
      } else {
        return nil
      }
    }
    guard let row = try row(complete) else { return nil }
    for index in attributes {
      let name = plan.properties[index].name
      if let value = complete[name], isStored(value, index) { continue }
      complete[name] = value(of: index, in: row)
    }
    for (index, _) in relationships {
      let property = plan.properties[index]
      let value = values[property.name] ?? known?[property.name] ?? .null
      guard let key = SyncSchema.key(value) else {
        guard value == .null, property.isOptional else { return nil }
        complete[property.name] = .null
        continue
      }
      complete[property.name] = .text(key)
    }
    for list in lists {
      let value = values[list.name] ?? known?[list.name] ?? .list([])
      guard let keys = ListMerge.canonical(value, isOrdered: list.isOrdered) else { return nil }
      complete[list.name] = keys
    }
    return (complete, row)
  }

  /// Whether ``value(of:in:)`` would return the value unchanged.
  private func isStored(_ value: SyncValue, _ property: Int) -> Bool {
    if attachment(value, of: property) != nil { return true }
    let columns = plan.properties[property].columns
    guard columns.count == 1, let column = columns.first, plan.columns[column].members.isEmpty
    else { return false }
    return Self.isStored(value, plan.columns[column].kind)
  }

  /// Whether a column of a kind returns exactly the value that was written.
  static func isStored(_ value: SyncValue, _ kind: ColumnKind) -> Bool {
    switch (kind, value) {
    case (.text, .text), (.boolean, .boolean), (.integer, .integer), (_, .null): return true
    case (.real, .real(let real)), (.date, .real(let real)): return real.isFinite
    case (.uuid, .text(let text)): return UUIDText.isCanonical(text)
    default: return false
    }
  }

  /// Returns the values of ``initial``.
  func initialValues() throws -> SyncValues {
    var initial: SyncValues = [:]
    for index in attributes where index != key {
      let property = plan.properties[index]
      if let value = annotations?[property.name] {
        initial[property.name] = value
      } else if let row = try plan.defaultRow(of: index) {
        initial[property.name] = defaultValue(of: index, row)
      } else if property.isOptional {
        initial[property.name] = .null
      }
    }
    for (index, _) in relationships where plan.properties[index].isOptional {
      initial[plan.properties[index].name] = .null
    }
    return initial
  }

  func defaultValue(of property: Int, _ row: _RowWriter) -> SyncValue {
    var whole = _RowWriter(plan: plan)
    for _ in 0..<plan.properties[property].columns.lowerBound { whole.appendNull() }
    whole.cells += row.cells
    whole.arena = row.arena
    return value(of: property, in: whole.rowCopy)
  }

  func value(ofKey key: String) -> SyncValue? {
    keyColumn.kind == .integer ? Int64(key).map { .integer($0) } : .text(key)
  }
}
