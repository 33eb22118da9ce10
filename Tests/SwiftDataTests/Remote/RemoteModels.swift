import CSQLite
import Foundation
import SwiftData

/// A number that many contexts change.
@Model
final class Counter {
  @Attribute(.unique) var name: String
  var value: Int
  var note: String
  var remark: String?

  init(_ name: String, value: Int = 0) {
    self.name = name
    self.value = value
    note = ""
  }
}

/// A counter with a column whose stored bytes differ at every write.
@Model
final class SealedCounter {
  @Attribute(.allowsCloudEncryption) var secret: String
  var value: Int

  init(_ secret: String) {
    self.secret = secret
    value = 0
  }
}

extension ModelContext {
  func counter(_ name: String) throws -> Counter? {
    try fetch(FetchDescriptor<Counter>(predicate: #Predicate { $0.name == name })).first
  }

  func saveCounter(_ name: String, value: Int = 0) throws -> Counter {
    let counter = Counter(name, value: value)
    insert(counter)
    try save()
    return counter
  }
}
