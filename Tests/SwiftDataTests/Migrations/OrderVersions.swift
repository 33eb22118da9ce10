import SwiftData

/// A list of wagons (keys) and one of drivers (pairs), with and without an order.
enum ConvoyForms {
  enum Plain {
    @Model final class Convoy {
      var name: String
      @Relationship(inverse: \Wagon.convoy) var wagons: [Wagon] = []
      @Relationship(inverse: \Driver.convoys) var drivers: [Driver] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Wagon {
      var name: String
      var convoy: Convoy?
      init(_ name: String) { self.name = name }
    }
    @Model final class Driver {
      var name: String
      var convoys: [Convoy] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum Ordered {
    @Model final class Convoy {
      var name: String
      @Relationship(.ordered, inverse: \Wagon.convoy) var wagons: [Wagon] = []
      @Relationship(.ordered, inverse: \Driver.convoys) var drivers: [Driver] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Wagon {
      var name: String
      var convoy: Convoy?
      init(_ name: String) { self.name = name }
    }
    @Model final class Driver {
      var name: String
      var convoys: [Convoy] = []
      init(_ name: String) { self.name = name }
    }
  }

  /// Ordered, in tables that have to be rebuilt.
  enum Rebuilt {
    @Model final class Convoy {
      var name: String
      @Relationship(.ordered, inverse: \Wagon.train) var wagons: [Wagon] = []
      @Relationship(.ordered, deleteRule: .cascade, inverse: \Driver.convoys)
      var drivers: [Driver] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Wagon {
      var name: String?
      @Relationship(originalName: "convoy") var train: Convoy?
      init(_ name: String) { self.name = name }
    }
    @Model final class Driver {
      var name: String
      var convoys: [Convoy] = []
      init(_ name: String) { self.name = name }
    }
  }
}
