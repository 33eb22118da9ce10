import SwiftSyntax

/// The members that `@Snapshotable` adds to a model.
struct SnapshotExpansion {
  let model: ModelClass
  let members: [DeclSyntax]

  init(_ model: ModelClass) {
    self.model = model
    let all = model.properties.map(SnapshotMember.init)
    members = Self.members(of: model, all, all.filter { !$0.isSkipped })
  }

  private static func members(
    of model: ModelClass, _ all: [SnapshotMember], _ own: [SnapshotMember]
  ) -> [DeclSyntax] {
    let access = model.visibility
    let check =
      model.mayInherit ? ["SwiftDataExtras._requireTopmostModel(\(model.name).self)"] : []
    let applied = all.compactMap { $0.application(to: model.name) }
    return [
      """
      /// The values of a ``\(raw: model.name)``.
      \(raw: access)struct Snapshot: SwiftDataExtras.ModelSnapshot {
      \(raw: structure(of: model, all, own).joined(separator: "\n").indentedByTwo)
      }
      """,
      """
      /// Makes a model with the values of a snapshot. Relationships stay empty until
      /// `apply(_:)` is called in a context.
      \(raw: access)convenience init(_ snapshot: Snapshot) {
        self.init(_hollow: SwiftData._HollowModel())
        SwiftDataExtras._start(self, with: snapshot)
      }
      """,
      """
      \(raw: access)func _$makeSnapshot() -> Snapshot {
      \(raw: (check + ["return Snapshot(self)"]).indentedLines)
      }
      """,
      """
      \(raw: access)func _$apply(
        _ snapshot: Snapshot, to values: inout SwiftDataExtras._SnapshotApplication
      ) throws {
      \(raw: applied.indentedLines)
      }
      """,
    ]
  }

  private static func structure(
    of model: ModelClass, _ all: [SnapshotMember], _ own: [SnapshotMember]
  ) -> [String] {
    let access = model.visibility
    let identifier = "SwiftData.PersistentIdentifier?"
    // A property may have the name of one of the initialisers' own parameters.
    let parameters = ["persistentModelID: \(identifier) = nil"] + own.map(\.parameter)
    let names = ["persistentModelID"] + own.map(\.name)
    return ["\(access)var persistentModelID: \(identifier)"]
      + own.flatMap { $0.declaration(model.access) }
      + [
        body(
          "\(initializerAccess(access, own))init(\(parameters.joined(separator: ", ")))",
          names.map { "self.\($0) = \($0)" }),
        body(
          "\(access)init(_ model: \(model.name))",
          ["self.persistentModelID = model.persistentModelID"]
            + own.map { "self.\($0.name) = SwiftDataExtras._snapshotValue(model.\($0.name))" }),
        body(
          "\(access)init(_row row: inout SwiftData._SnapshotReader) throws",
          ["self.persistentModelID = row.persistentModelID"]
            + all.map { ($0.isSkipped ? "" : "self.") + $0.readingStatement }),
        body(
          "\(access)static func == (left: Self, right: Self) -> Bool",
          ["if left.persistentModelID != right.persistentModelID { return false }"]
            + own.map {
              "if !SwiftDataExtras._isEqual(left.\($0.name), right.\($0.name)) { return false }"
            } + ["return true"]),
        body(
          "\(access)func hash(into hasher: inout Swift.Hasher)",
          ["SwiftDataExtras._hash(self.persistentModelID, into: &hasher)"]
            + own.map { "SwiftDataExtras._hash(self.\($0.name), into: &hasher)" }),
      ]
  }

  /// The access of the memberwise initialiser: a parameter's type can't be narrower than its
  /// function.
  private static func initializerAccess(_ access: String, _ own: [SnapshotMember]) -> String {
    own.contains(where: \.hasPrivateType) ? "fileprivate " : access
  }

  private static func body(_ head: String, _ lines: [String]) -> String {
    "\(head) {\n\(lines.indentedLines)\n}"
  }
}

extension SnapshotMember {
  /// Whether the enumeration that determines the member's type is narrower than the model.
  fileprivate var hasPrivateType: Bool {
    type.hasSuffix(".Value") && AccessLevel(property.declaration.modifiers) < .internal
  }
}

extension String {
  fileprivate var indentedByTwo: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
      .joined(separator: "\n")
  }
}
