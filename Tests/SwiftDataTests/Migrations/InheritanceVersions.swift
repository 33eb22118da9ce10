import SwiftData

/// Versions of some entities that differ in their superclasses.
enum FleetForms {
  enum Alone {
    @Model
    class Wagon {
      var name: String
      var wheels: Int
      init(_ name: String, wheels: Int = 4) {
        self.name = name
        self.wheels = wheels
      }
    }

    @Model
    class Sledge {
      var name: String
      var runners: Int
      var wagon: Wagon?
      init(_ name: String, runners: Int = 2) {
        self.name = name
        self.runners = runners
      }
    }
  }

  /// A subclass is added.
  enum Subclass {
    @Model
    class Wagon {
      var name: String
      var wheels: Int
      init(_ name: String, wheels: Int = 4) {
        self.name = name
        self.wheels = wheels
      }
    }

    @Model
    final class Tanker: Wagon {
      var litres: Double
      init(_ name: String, litres: Double) {
        self.litres = litres
        super.init(name)
      }
    }

    @Model
    class Sledge {
      var name: String
      var runners: Int
      var wagon: Wagon?
      init(_ name: String, runners: Int = 2) {
        self.name = name
        self.runners = runners
      }
    }
  }

  /// Two classes get a common superclass.
  enum Common {
    @Model
    class Carrier {
      var name: String
      init(name: String) { self.name = name }
    }

    @Model
    final class Wagon: Carrier {
      var wheels: Int
      init(_ name: String, wheels: Int = 4) {
        self.wheels = wheels
        super.init(name: name)
      }
    }

    @Model
    final class Sledge: Carrier {
      var runners: Int
      var wagon: Wagon?
      init(_ name: String, runners: Int = 2) {
        self.runners = runners
        super.init(name: name)
      }
    }
  }
}
