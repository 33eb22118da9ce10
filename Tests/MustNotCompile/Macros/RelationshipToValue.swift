import Foundation
import SwiftData

@Model
final class ValuePlace {
  @Relationship var name: String = ""
  @Relationship(deleteRule: .cascade) var dates: [Date]? = nil

  init() {}
}
