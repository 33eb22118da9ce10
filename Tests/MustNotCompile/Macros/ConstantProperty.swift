import Foundation
import SwiftData

@Model
final class ConstantPlace {
  let name: String
  let made = Date()
  let kind = 3

  init(name: String) {
    self.name = name
  }
}
