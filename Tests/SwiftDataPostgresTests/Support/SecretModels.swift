import Foundation
import SwiftData
import SwiftDataPostgres

/// Encrypted attributes of several kinds.
@Model
final class Secret {
  @Attribute(.unique) var name: String
  @Attribute(.allowsCloudEncryption) var text: String
  @Attribute(.allowsCloudEncryption) var number: Int?
  @Attribute(.allowsCloudEncryption) var data: Data
  @Attribute(.allowsCloudEncryption, .unique) var code: String
  var plain: String = ""

  init(_ name: String, _ text: String, _ number: Int? = nil) {
    self.name = name
    self.text = text
    self.number = number
    data = Data(text.utf8)
    code = "code of \(name)"
  }
}
