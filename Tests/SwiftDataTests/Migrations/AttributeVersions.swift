import SwiftData

/// Versions of one entity that differ in its attributes.
enum ParcelForms {
  struct Size: Codable, Hashable {
    var width: Double
    var height: Double
  }

  enum First {
    @Model
    final class Parcel {
      var number: Int
      var label: String
      var note: String?
      var weight: Int
      var grams: Int16
      var isHeavy: Bool
      var ratio: Float
      var state: String
      var size: Size

      init(_ number: Int, note: String? = nil) {
        self.number = number
        self.note = note
        label = "label \(number)"
        weight = number * 10
        grams = Int16(number)
        isHeavy = number > 2
        ratio = Float(number) / 4
        state = number.isMultiple(of: 2) ? "sent" : "packed"
        size = Size(width: Double(number), height: 1)
      }
    }
  }

  /// Attributes are added, with a default and without; removed; renamed; given wider types.
  enum Second {
    enum State: String, Codable {
      case sent, packed
    }

    struct Size: Codable, Hashable {
      var width: Double
      var height: Double
      var depth: Double?
    }

    @Model
    final class Parcel {
      var number: Int
      @Attribute(originalName: "label") var title: String
      var note: String?
      var weight: Double
      var grams: Int64
      var isHeavy: Int
      var ratio: Double
      var state: State
      var size: Size
      var colour: String = "brown"
      var due: Date?
      var tags: [String] = ["new"]

      init(_ number: Int) {
        self.number = number
        title = ""
        weight = 0
        grams = 0
        isHeavy = 0
        ratio = 0
        state = .sent
        size = Size(width: 0, height: 0)
      }
    }
  }

  /// All attributes except one are removed.
  enum Least {
    @Model
    final class Parcel {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  /// An attribute is added without a value for existing rows.
  enum Valueless {
    @Model
    final class Parcel {
      var number: Int
      var owner: String
      init(_ number: Int) {
        self.number = number
        owner = ""
      }
    }
  }

  enum Required {
    @Model
    final class Parcel {
      var number: Int
      var note: String
      init(_ number: Int) {
        self.number = number
        note = ""
      }
    }
  }

  enum RequiredWithDefault {
    @Model
    final class Parcel {
      var number: Int
      var note: String = "none"
      init(_ number: Int) { self.number = number }
    }
  }

  enum Relaxed {
    @Model
    final class Parcel {
      var number: Int?
      var label: String?
      var size: Size?
      init() {}
    }
  }

  /// A truth value becomes a real number.
  enum Rated {
    @Model
    final class Parcel {
      var number: Int
      var isHeavy: Double

      init(_ number: Int, isHeavy: Double) {
        self.number = number
        self.isHeavy = isHeavy
      }
    }
  }

  enum Narrow {
    @Model
    final class Parcel {
      var weight: Int8
      init() { weight = 0 }
    }
  }

  enum Unrelated {
    @Model
    final class Parcel {
      var label: Date
      init() { label = .now }
    }
  }

  enum WrongCase {
    enum State: String, Codable {
      case sent
    }

    @Model
    final class Parcel {
      var state: State
      init() { state = .sent }
    }
  }

  enum Unique {
    @Model
    final class Parcel {
      @Attribute(.unique) var state: String
      init() { state = "" }
    }
  }

  enum Indexed {
    @Model
    final class Parcel {
      #Index<Parcel>([\.label], [\.number, \.label])
      #Unique<Parcel>([\.number])
      var number: Int
      var label: String
      init(_ number: Int) {
        self.number = number
        label = ""
      }
    }
  }
}
