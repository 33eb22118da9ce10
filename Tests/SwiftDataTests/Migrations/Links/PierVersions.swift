import SwiftData

/// Versions of two entities whose links lose their place.
enum PierForms {
  /// A pier has boats; a boat, which has the key, lies at one.
  enum Several {
    @Model
    final class Boat {
      var name: String
      var pier: Pier?
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Pier {
      var name: String
      @Relationship(inverse: \Boat.pier) var boats: [Boat] = []
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Boat.self, Pier.self])
  }

  /// A pier has one boat; nothing changes in the boats' table.
  enum Single {
    @Model
    final class Boat {
      var name: String
      var pier: Pier?
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Pier {
      var name: String
      @Relationship(inverse: \Boat.pier) var boats: Boat?
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Boat.self, Pier.self])
  }

  /// Each pier must have a boat.
  enum Required {
    @Model
    final class Boat {
      var name: String
      var pier: Pier?
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Pier {
      var name: String
      @Relationship(inverse: \Boat.pier) var boats: Boat
      init(_ name: String, _ boat: Boat) {
        self.name = name
        boats = boat
      }
    }

    static let schema = Schema([Boat.self, Pier.self])
  }

  /// Both ends have links of their own, twice.
  enum OneWay {
    @Model
    final class Boat {
      var name: String
      @Relationship(inverse: nil) var pier: Pier?
      @Relationship(inverse: nil) var stops: [Pier] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Pier {
      var name: String
      @Relationship(inverse: nil) var boats: [Boat] = []
      @Relationship(inverse: nil) var visitors: [Boat] = []
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Boat.self, Pier.self])
  }

  /// The ends are inverses.
  enum Joined {
    @Model
    final class Boat {
      var name: String
      @Relationship(inverse: \Pier.boats) var pier: Pier?
      @Relationship(inverse: \Pier.visitors) var stops: [Pier] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Pier {
      var name: String
      var boats: [Boat] = []
      var visitors: [Boat] = []
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Boat.self, Pier.self])
  }

  /// The lists of piers contain models of another class, which has the key.
  enum Other {
    @Model
    final class Boat {
      var name: String
      @Relationship(inverse: nil) var pier: Pier?
      @Relationship(inverse: nil) var stops: [Pier] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Crane {
      var name: String
      var pier: Pier?
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Pier {
      var name: String
      @Relationship(inverse: \Crane.pier) var boats: [Crane] = []
      @Relationship(inverse: nil) var visitors: [Boat] = []
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Boat.self, Crane.self, Pier.self])
  }

  /// Another class takes the place of the boats.
  enum Replaced {
    @Model
    final class Pier {
      var name: String
      @Relationship(inverse: \Ship.pier) var boats: [Ship] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Ship {
      var name: String
      var pier: Pier?
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Pier.self, Ship.self])
  }

  /// Pairs, in the table of the boats.
  enum Pairs {
    @Model
    final class Boat {
      var name: String
      var piers: [Pier] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Pier {
      var name: String
      @Relationship(inverse: \Boat.piers) var boats: [Boat] = []
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Boat.self, Pier.self])
  }

  /// Boats alone.
  enum Alone {
    @Model
    final class Boat {
      var name: String
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Boat.self])
  }
}
