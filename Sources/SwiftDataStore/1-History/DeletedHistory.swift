import Foundation
import SwiftDataCore

/// The individually deleted transactions of a history: for each author, the newest.
///
/// A token stays valid as long as its reader misses nothing, so a token used for an author whose transactions all exist
/// continues to work when another author's are deleted.
package struct DeletedHistory: Sendable {
  /// The maximum number of authors: beyond it, those with the oldest deletions are dropped and count for all authors.
  private static let maximumAuthorCount = 64

  private struct Gap: Codable, Sendable {
    /// nil for transactions without an author.
    var author: String?
    var number: Int64
  }

  /// The number up to which transactions of any author may be deleted.
  package private(set) var all: Int64
  private var gaps: [Gap]

  /// - Parameter all: The number up to which transactions of any author may be deleted.
  package init(all: Int64) {
    self.all = all
    gaps = []
  }

  /// Reads what a store has recorded.
  ///
  /// - Parameters:
  ///   - authors: The text of ``authors``.
  ///   - mark: The newest deleted transaction.
  /// - Returns: nil when only the newest deleted transaction is known: the text is damaged, or a program that doesn't
  ///   know it has deleted more.
  package init?(all: Int64, authors: String, mark: Int64) {
    self.all = all
    do {
      gaps = try JSONDecoder().decode([Gap].self, from: Data(authors.utf8))
    } catch {
      return nil  // Damaged: the number of the newest deleted transaction suffices.
    }
    guard max(all, gaps.map(\.number).max() ?? all) == mark else { return nil }
  }

  /// The newest deleted transaction of each author as a JSON array.
  package var authors: String {
    get throws { String(decoding: try JSONEncoder().encode(gaps), as: UTF8.self) }
  }

  /// Whether a reader that has read up to a number would miss a deleted transaction.
  ///
  /// - Parameter wants: Whether the reader requests an author's transactions.
  package func isMissed(after start: Int64, wants: (String?) throws -> Bool) rethrows -> Bool {
    if start < all { return true }
    return try gaps.contains { gap in try gap.number > start && wants(gap.author) }
  }

  /// Records the newest one of an author's transactions that are being deleted. Call ``settle()`` after the last one.
  package mutating func add(_ number: Int64, of author: String?) {
    if let place = gaps.firstIndex(where: { $0.author == author }) {
      gaps[place].number = max(gaps[place].number, number)
    } else {
      gaps.append(Gap(author: author, number: number))
    }
  }

  /// Drops the authors beyond the maximum number.
  package mutating func settle() {
    gaps.sort { $0.number > $1.number }
    if let first = gaps.dropFirst(Self.maximumAuthorCount).first { all = max(all, first.number) }
    gaps.removeAll { $0.number <= all }
  }
}
