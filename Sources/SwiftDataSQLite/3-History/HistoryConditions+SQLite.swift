import Foundation
import SwiftDataCore
import SwiftDataStore

extension HistoryConditions {
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a predicate that is nested too deep for the thread's stack.
  init(_ predicate: Predicate<DefaultHistoryTransaction>?, store: String) throws {
    try self.init(
      predicate, store: store,
      forms: Forms(author: "ifnull(osd_equal(t.author, ?), 0)", truth: "?"))
  }
}
