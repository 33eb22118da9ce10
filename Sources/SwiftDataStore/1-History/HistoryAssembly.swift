import Foundation
import SwiftDataCore

/// One transaction of the history while its rows are read.
///
/// A class: copies of a structure would share the changes, so that each row copied those of the rows before.
package final class HistoryAssembly {
  /// The columns of the transaction's own row.
  package struct Head {
    package let number: Int64
    package let timestamp: Date
    package let author: String?
    package let program: String
    package let process: Int64

    package init(
      number: Int64, timestamp: Date, author: String?, program: String, process: Int64
    ) {
      self.number = number
      self.timestamp = timestamp
      self.author = author
      self.program = program
      self.process = process
    }
  }

  package let head: Head
  private(set) var parts: [(layout: Int64, changes: [PackedChange])] = []

  package init(_ head: Head) { self.head = head }

  package var number: Int64 { head.number }

  /// Unpacks changes of an entity.
  ///
  /// - Parameters:
  ///   - properties: The property at each position of the layout.
  ///   - path: The store, for errors.
  ///   - maximumRowCount: See ``HistoryUnpacker/read(into:maximumRowCount:)``.
  package func append(
    _ bytes: [UInt8], layout: Int64, properties: [Int?], path: String,
    maximumRowCount: () throws -> Int64
  ) throws {
    if parts.last?.layout != layout { parts.append((layout, [])) }
    var unpacking = HistoryUnpacker(bytes, properties: properties)
    do {
      try unpacking.read(into: &parts[parts.count - 1].changes, maximumRowCount: maximumRowCount)
    } catch is HistoryUnpacker.Damaged {
      throw StoreError.damagedHistory(transaction: number, path: path)
    } catch is HistoryUnpacker.TooMany {
      throw StoreError(
        .other, path: path,
        explanation: "transaction \(number) of its history has more than"
          + " \(HistoryUnpacker.maximumChanges) changes of an entity, more than can be read at once;"
          + " read the models anew, and go on behind it")
    }
  }
}

extension StoreError {
  /// The error of changes that this library didn't write.
  static func damagedHistory(transaction: Int64, path: String) -> StoreError {
    StoreError(
      .damaged, path: path,
      explanation:
        "transaction \(transaction) of its history is damaged; delete the history up to it")
  }
}
