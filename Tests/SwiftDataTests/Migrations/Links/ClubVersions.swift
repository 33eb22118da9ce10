import SwiftData

/// Versions of a family and a class that refers to it.
enum ClubForms {
  enum Family {
    @Model
    final class Club {
      var name: String
      @Relationship(inverse: \Member.club) var members: [Member] = []
      @Relationship(inverse: nil) var host: Member?
      @Relationship(inverse: \Member.visits) var visitors: [Member] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    class Member {
      var name: String
      var note: String?
      var club: Club?
      var visits: [Club] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Captain: Member {
      var rank: Int
      init(_ name: String, rank: Int) {
        self.rank = rank
        super.init(name)
      }
    }

    static let schema = Schema([Club.self, Member.self, Captain.self])
  }

  /// The subclass is a class on its own.
  enum Apart {
    @Model
    final class Club {
      var name: String
      @Relationship(inverse: \Member.club) var members: [Member] = []
      @Relationship(inverse: nil) var host: Member?
      @Relationship(inverse: \Member.visits) var visitors: [Member] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    class Member {
      var name: String
      var note: String?
      var club: Club?
      var visits: [Club] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Captain {
      var name: String
      var rank: Int
      init(_ name: String, rank: Int) {
        self.name = name
        self.rank = rank
      }
    }

    static let schema = Schema([Club.self, Member.self, Captain.self])
  }

  /// Members visit one club.
  enum Loyal {
    @Model
    final class Club {
      var name: String
      @Relationship(inverse: \Member.club) var members: [Member] = []
      @Relationship(inverse: nil) var host: Member?
      @Relationship(inverse: \Member.visits) var visitors: [Member] = []
      init(_ name: String) { self.name = name }
    }

    @Model
    class Member {
      var name: String
      var note: String?
      var club: Club?
      var visits: Club?
      init(_ name: String) { self.name = name }
    }

    @Model
    final class Captain: Member {
      var rank: Int
      init(_ name: String, rank: Int) {
        self.rank = rank
        super.init(name)
      }
    }

    static let schema = Schema([Club.self, Member.self, Captain.self])
  }
}
