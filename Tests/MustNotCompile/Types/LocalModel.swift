import SwiftData

func makeLocalModel() {
  @Model
  final class LocalHolder {
    var name: String = ""

    init() {}
  }
}
