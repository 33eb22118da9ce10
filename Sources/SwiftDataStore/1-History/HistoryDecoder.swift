import Foundation
import SwiftDataCore

/// A store whose history a decoder reads.
package protocol HistorySource: RowStore {
  /// The store, for errors.
  var historyPath: String { get }

  /// Returns a property's value from a row with its columns, in which the others are NULL.
  func preservedValue(
    of property: Int, in cells: UnsafeBufferPointer<_Cell>, _ plan: EntityPlan
  ) throws -> (any Sendable)?
}

/// Makes the changes that users see of packed ones.
package struct HistoryDecoder {
  /// The number of bits for the changes of one transaction in a change's identifier.
  private static let changeBits: Int64 = 28

  private let source: any HistorySource
  package let layouts: StoredLayouts

  package init(_ source: any HistorySource, _ layouts: StoredLayouts) {
    self.source = source
    self.layouts = layouts
  }

  /// Calls `body` with the runs of changes of one entity in a transaction.
  ///
  /// - Parameter entities: The names of the entities whose changes matter; nil for all.
  package func forEachRun(
    _ bytes: @autoclosure () -> [UInt8]?, transaction: Int64, layout: Int64,
    of entities: Set<String>?, _ body: (ChangedRows) throws -> Void
  ) throws {
    guard let layout = layouts[layout], entities?.contains(layout.plan.name) ?? true,
      let bytes = bytes()
    else { return }
    var unpacking = HistoryUnpacker(bytes, properties: layout.properties)
    do {
      try unpacking.forEachRun { run in
        try body(
          ChangedRows(
            transaction: transaction, plan: layout.plan, rowIDs: run.rowIDs,
            properties: run.kind == .update ? run.properties : nil))
      }
    } catch is HistoryUnpacker.Damaged {
      throw StoreError.damagedHistory(transaction: transaction, path: source.historyPath)
    }
  }

  /// The transaction of rows that were all read.
  package func transaction(_ assembly: HistoryAssembly) throws -> DefaultHistoryTransaction {
    var changes: [HistoryChange] = []
    for part in assembly.parts {
      guard let layout = layouts[part.layout] else { continue }
      func open<Model: PersistentModel>(_ type: Model.Type) throws {
        for change in HistoryUnpacker.merged(part.changes) {
          changes.append(
            try self.change(change, type, layout, assembly.number, place: changes.count))
        }
      }
      try open(layout.plan.type)
    }
    return DefaultHistoryTransaction(
      timestamp: assembly.head.timestamp, changes: changes,
      transactionIdentifier: assembly.number, storeIdentifier: source.identifier,
      bundleIdentifier: assembly.head.program,
      processIdentifier: String(assembly.head.process), author: assembly.head.author)
  }

  private func change<Model: PersistentModel>(
    _ change: PackedChange, _ type: Model.Type, _ layout: StoredLayouts.Layout, _ number: Int64,
    place: Int
  ) throws -> HistoryChange {
    let fields = HistoryChangeFields(
      changeIdentifier: number << Self.changeBits + Int64(place), transactionIdentifier: number,
      changedPersistentIdentifier: source.identifier(
        rowID: change.rowID, entity: layout.plan.name))
    switch change.kind {
    case .insert: return .insert(DefaultHistoryInsert<Model>(fields))
    case .update:
      return .update(
        DefaultHistoryUpdate<Model>(
          fields,
          updatedAttributes: change.properties.compactMap {
            layout.plan.properties[$0].keyPath.sendable(of: type)
          }))
    case .delete:
      var values: [(keyPath: AnyKeyPath, value: any Sendable)] = []
      for (position, columns) in (change.values?.columns ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let index = layout.property(position),
          layout.plan.properties[index].storage.isPreserved,
          let value = try value(of: index, columns, layout.plan)
        else { continue }
        values.append((layout.plan.properties[index].keyPath, value))
      }
      return .delete(DefaultHistoryDelete<Model>(fields, tombstone: HistoryTombstone(values)))
    }
  }

  /// - Returns: nil for nil, and for columns that hold no value of the property's present type: they may be older than
  ///   it, and must not keep readers from the rest of the history.
  private func value(
    of property: Int, _ columns: RowCopy, _ plan: EntityPlan
  ) throws -> (any Sendable)? {
    guard let row = columns.expand(over: property, of: plan) else { return nil }
    do {
      return try row.withCells { try source.preservedValue(of: property, in: $0, plan) }
    } catch let error as StoreError where error.code != .damaged {
      throw error
    } catch { return nil }
  }
}
