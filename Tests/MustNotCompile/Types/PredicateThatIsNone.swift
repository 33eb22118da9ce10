import Foundation
import SwiftData

@Model
final class PredicateHolder {
  var name: String = ""
  var made: Date = Date()

  init() {}

  func matches(_ text: String) -> Bool { name == text }
}

func predicatesThatAreNone() {
  _ = #Predicate<PredicateHolder> { $0.matches("a") }
  _ = #Predicate<PredicateHolder> {
    let name = $0.name
    print(name)
    return name == "a"
  }
}
