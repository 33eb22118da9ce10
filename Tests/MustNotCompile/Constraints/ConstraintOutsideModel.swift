import SwiftData

#Index<OutsidePlace>([\.name])

@Model
final class OutsidePlace {
  var name: String = ""

  init() {}
}

final class PlainPlace {
  #Unique<OutsidePlace>([\.name])
}
