import SwiftData

/// Versions of a class whose numbers are of different types.
enum Numbers {
  enum Real {
    @Model
    final class Item {
      var name: String
      var number: Double
      init(_ name: String, _ number: Double) {
        self.name = name
        self.number = number
      }
    }

    static let schema = Schema([Item.self])
  }

  enum Signed {
    @Model
    final class Item {
      var name: String
      var number: Int
      init(_ name: String, _ number: Int) {
        self.name = name
        self.number = number
      }
    }

    static let schema = Schema([Item.self])
  }

  enum Unsigned {
    @Model
    final class Item {
      var name: String
      var number: UInt64
      init(_ name: String, _ number: UInt64) {
        self.name = name
        self.number = number
      }
    }

    static let schema = Schema([Item.self])
  }

  enum Text {
    @Model
    final class Item {
      var name: String
      var number: String
      init(_ name: String, _ number: String) {
        self.name = name
        self.number = number
      }
    }

    static let schema = Schema([Item.self])
  }
}
