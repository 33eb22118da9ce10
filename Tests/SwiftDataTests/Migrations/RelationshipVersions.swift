import SwiftData

/// Versions of two entities that differ in the relationship between them.
enum HarbourForms {
  /// A ship has a crew; a sailor has one ship.
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

  /// The delete rule is different.
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

  /// Sailors aren't affected when their ship is deleted.
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

  /// Both ends are renamed.
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

  /// The sailor's end is another property, which only the ship's end connects with the earlier one.
  enum Replaced {
    @Model
    final class Ship {
      var name: String
      @Relationship(inverse: \Sailor.vessel) var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Sailor {
      var name: String
      var vessel: Ship?
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

  /// The relationship has no inverse.
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

  /// The version without a relationship.
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

  /// Every sailor must have a ship.
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
