import SwiftData

@Model
final class ConstraintHolder {
  #Unique<ConstraintHolder>([\.missing])
  #Index<Int>([\.magnitude])
  var name: String = ""

  init() {}
}
