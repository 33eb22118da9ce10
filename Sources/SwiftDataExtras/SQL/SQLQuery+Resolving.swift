import Foundation
import SwiftDataCore
import SwiftDataSQL

/// One part of a statement.
enum SQLPart: @unchecked Sendable {
  // Unchecked: key paths are literals, and constants are of the standard value types.
  case text(String)
  case value((any _ColumnValue)?)
  case identifier(PersistentIdentifier)
  case table(any PersistentModel.Type)
  case column(any PersistentModel.Type, AnyKeyPath)

  /// The model that the part names.
  var model: (any PersistentModel.Type)? {
    switch self {
    case .table(let type), .column(let type, _): type
    case .text, .value, .identifier: nil
    }
  }
}

/// The store that a statement refers to.
struct SQLSource {
  let store: any SQLReading

  /// - Parameters:
  ///   - configuration: The name of the store's configuration; nil to derive the store from the models.
  ///   - type: A model of the store.
  init(
    _ context: ModelContext, _ query: SQLQuery, configuration: String?,
    of type: (any PersistentModel.Type)?
  ) throws {
    let found: any RowStore
    if let type {
      found = try context.entry(for: type).store
    } else if let configuration {
      guard let named = context.stores.first(where: { $0.configurationName == configuration })
      else {
        throw SQLQueryError(.ambiguousStore, "No store has the configuration \(configuration).")
      }
      found = named
    } else if let type = query.parts.lazy.compactMap(\.model).first {
      found = try context.entry(for: type).store
    } else {
      let candidates = context.stores.compactMap { $0 as? any SQLReading }
      guard candidates.count == 1 || context.stores.count == 1 else {
        throw SQLQueryError(
          .ambiguousStore,
          "The container has several stores. Name the model's table by \\(table:), or the configuration."
        )
      }
      found = candidates.first ?? context.stores[0]
    }
    guard let store = found as? any SQLReading else {
      throw SQLQueryError(
        .notSQLite, "The store \(found.configurationName) isn't a database with SQL.")
    }
    self.store = store
  }
}

extension SQLQuery {
  /// Runs the statement and decodes each of its rows.
  ///
  /// - Parameter count: The required number of columns; nil for one or more.
  func rows<Row>(
    in store: any SQLReading, count: Int?, _ decode: (inout _RowReader) throws -> Row
  ) throws -> [Row] {
    do { return try store.rows(of: fragment(for: store), count: count, decode) } catch let refusal
      as StatementRefusal
    {
      throw SQLQueryError(refusal)
    }
  }

  /// The text and the values for a store.
  private func fragment(for store: any SQLReading) throws -> SQLFragment {
    var fragment = SQLFragment("")
    for part in parts {
      switch part {
      case .text(let text): fragment.append(text)
      case .value(let value):
        guard let constant = ConstantEncoding.constant(value) else {
          throw SQLQueryError(.parameters, "A value of \(type(of: value)) can't be bound.")
        }
        fragment.append(SQLFragment(binding: constant))
      case .identifier(let identifier):
        guard let rowID = store.rowID(for: identifier) else {
          throw SQLQueryError(
            .unknownName,
            "The identifier of a \(identifier.entityName) has no row in the store \(store.configurationName)."
              + " Save the model first.")
        }
        fragment.append(SQLFragment(binding: .integer(rowID)))
      case .table(let type): fragment.append(SQLIdentifier.quoted(try plan(of: type, store).table))
      case .column(let type, let keyPath):
        let plan = try plan(of: type, store)
        guard let column = ColumnNames.name(of: keyPath, in: plan) else {
          throw SQLQueryError(
            .unknownName,
            "\(KeyPathName.path(keyPath)) of \(plan.name) isn't one column of its table.")
        }
        fragment.append(SQLIdentifier.quoted(column))
      }
    }
    return fragment
  }

  private func plan(
    of type: any PersistentModel.Type, _ store: any SQLReading
  ) throws -> EntityPlan {
    guard let plan = store.plansByType[ObjectIdentifier(type)] else {
      throw SQLQueryError(
        .unknownName, "The store \(store.configurationName) doesn't hold \(type).")
    }
    return plan
  }
}
