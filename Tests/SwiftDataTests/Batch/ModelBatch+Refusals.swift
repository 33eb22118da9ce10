import SwiftData
import SwiftDataCore

extension ModelBatch {
  /// Returns the number of models that the batch refuses.
  func refusals(of models: [Model]) throws -> Int {
    var written: [WriteOutcome] = []
    for model in models { written += try add(model) }
    written += try writeBuffered()
    return written.count { if case .refused = $0 { true } else { false } }
  }
}
