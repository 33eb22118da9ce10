import SwiftData

@propertyWrapper
struct Published<Value> {
  var wrappedValue: Value
}

@Model
final class WrappedPlace {
  @Published var name: String = ""

  init() {}
}
