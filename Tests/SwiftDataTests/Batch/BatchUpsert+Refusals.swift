import SwiftData
import SwiftDataCore

extension BatchUpsert {
  /// Returns the number of models that the batch refuses.
  func refusals(of models: [Model]) throws -> Int {
    var written: [Written] = []
    for model in models { written += try add(model) }
    written += try writeHeld()
    return written.count { if case .failure = $0 { true } else { false } }
  }
}
