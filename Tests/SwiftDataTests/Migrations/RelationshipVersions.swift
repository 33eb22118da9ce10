import SwiftData

/// Forms of two entities that differ in what connects them.
enum HarbourForms {
  /// A ship has crew; a sailor has one ship.
  enum OneToMany {
    @Model
    final class Ship {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Sailor.ship) var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      var ship: Ship?
      init(_ name: String) { self.name = name }
    }
  }

  /// The rule is another one.
  enum Nullifying {
    @Model
    final class Ship {
      var name: String
      @Relationship(deleteRule: .nullify, inverse: \Sailor.ship) var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      var ship: Ship?
      init(_ name: String) { self.name = name }
    }
  }

  /// Nothing happens to sailors whose ship goes.
  enum Loose {
    @Model
    final class Ship {
      var name: String
      @Relationship(deleteRule: .noAction, inverse: \Sailor.ship) var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      var ship: Ship?
      init(_ name: String) { self.name = name }
    }
  }

  /// Both ends have other names.
  enum Renamed {
    @Model
    final class Ship {
      var name: String
      @Relationship(originalName: "crew", inverse: \Sailor.vessel) var hands: [Sailor] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      @Relationship(originalName: "ship") var vessel: Ship?
      init(_ name: String) { self.name = name }
    }
  }

  /// A sailor has several ships.
  enum ManyToMany {
    @Model
    final class Ship {
      var name: String
      @Relationship(inverse: \Sailor.ship) var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      var ship: [Ship] = []
      init(_ name: String) { self.name = name }
    }
  }

  /// A ship has one sailor.
  enum OneToOne {
    @Model
    final class Ship {
      var name: String
      @Relationship(inverse: \Sailor.ship) var crew: Sailor?
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      var ship: Ship?
      init(_ name: String) { self.name = name }
    }
  }

  /// Nothing leads back.
  enum OneWay {
    @Model
    final class Ship {
      var name: String
      @Relationship(inverse: nil) var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  /// No relationship at all.
  enum Apart {
    @Model
    final class Ship {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  /// A ship that every sailor must have.
  enum Required {
    @Model
    final class Ship {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Sailor.ship) var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      var ship: Ship
      init(_ name: String, _ ship: Ship) {
        self.name = name
        self.ship = ship
      }
    }
  }
}
