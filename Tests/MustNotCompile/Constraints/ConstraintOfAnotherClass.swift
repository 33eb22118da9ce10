import SwiftData

@Model
final class FirstPlace {
  #Unique<SecondPlace>([\.name])
  #Index<FirstPlace>([\.name])
  var name: String = ""

  init() {}
}

@Model
final class SecondPlace {
  var name: String = ""

  init() {}
}
