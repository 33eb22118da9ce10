import SwiftData

@Model
final class LazyPlace {
  var name: String = ""
  lazy var length: Int = name.count
  @Transient lazy var double: Int = 2 * name.count

  init() {}
}
