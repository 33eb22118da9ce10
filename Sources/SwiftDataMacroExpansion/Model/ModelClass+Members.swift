import SwiftSyntax

/// The members that `@Model` adds to the class.
extension ModelClass {
  var generatedMembers: [String] {
    var members = isSubmodel ? inheritedState : state
    if !isSubmodel { members += backingData }
    members.append(schemaMetadata)
    members += requiredInitializers
    if !isSubmodel, let memberwiseInitializer {
      members.append(memberwiseInitializer)
    }
    members += rowCodec
    members += observation
    members.append("struct _SwiftDataNoType {}")
    return members
  }

  /// The modifiers of every member that is a witness of `PersistentModel`.
  var visibility: String { access.prefixOfWitness }

  /// The members for the handle with the model's identity, context and changes.
  private var state: [String] {
    var members = [
      "private nonisolated let _$core = SwiftData._ModelCore()",
      // The class may be isolated to the main actor, but the accessors of Observation aren't.
      "private nonisolated var _$state: SwiftData._ModelState { _$core.state(of: self) }",
      """
      \(visibility)nonisolated var _$modelState: SwiftData._ModelState {
        _$core.state(of: self)
      }
      """,
      "\(visibility)nonisolated var _$modelPlace: SwiftData._ModelPlace { _$core.place }",
    ]
    if mayInherit {
      members.append(
        "@inline(__always) private final func _$at(_ index: Swift.Int) -> Swift.Int { index }")
    }
    return members + observerGuard
  }

  /// The members for the same handle, reached through the superclass, whose properties come first.
  private var inheritedState: [String] {
    [
      "private nonisolated var _$state: SwiftData._ModelState { _$modelState }",
      """
      private class var _$inherited: Swift.Int {
        SwiftData._inheritedPropertyCount(of: \(name).self)
      }
      """,
      """
      private final func _$at(_ index: Swift.Int) -> Swift.Int { \(name)._$inherited + index }
      """,
    ] + observerGuard
  }

  private var observerGuard: [String] {
    guard properties.contains(where: \.hasObservers) else { return [] }
    // An observer that sets its own property must not trigger itself again.
    return ["private var _$observing: Swift.Set<Swift.Int> = []"]
  }

  /// The views of the storage under the names that hand-written code and custom stores use.
  private var backingData: [String] {
    [
      """
      private var _$backingData: any SwiftData.BackingData<\(name)> {
        get { persistentBackingData }
        set { persistentBackingData = newValue }
      }
      """,
      """
      \(visibility)var persistentBackingData: any SwiftData.BackingData<\(name)> {
        get { SwiftData._ModelBackingData(self) }
        set { SwiftData._ModelBackingData.adopt(newValue, into: self) }
      }
      """,
    ]
  }

  /// The initialisers that leave every persisted property unset.
  private var requiredInitializers: [String] {
    let required = isFinal ? "" : "required "
    let unset = properties.map { "\($0.storageName) = SwiftData._Stored()" }
    if isSubmodel {
      return [
        """
        \(visibility)required convenience init(
          backingData: any SwiftData.BackingData<Root>
        ) {
          self.init(_hollow: SwiftData._HollowModel())
          SwiftData._ModelBackingData.adopt(backingData, into: self)
        }
        """,
        """
        \(visibility)required init(_hollow: SwiftData._HollowModel) {
        \((unset + ["super.init(_hollow: _hollow)"]).indentedLines)
        }
        """,
      ]
    }
    return [
      """
      \(visibility)\(required)convenience init(
        backingData: any SwiftData.BackingData<\(name)>
      ) {
        self.init(_hollow: SwiftData._HollowModel())
        SwiftData._ModelBackingData.adopt(backingData, into: self)
      }
      """,
      """
      \(visibility)\(required)init(_hollow: SwiftData._HollowModel) {
      \(unset.indentedLines)
      }
      """,
    ]
  }

  /// The members that `Observation` requires, under the names that `@Observable` uses.
  private var observation: [String] {
    let registrar = """
      \(visibility)var _$observationRegistrar: SwiftData.ObservationRegistrar {
        _$state.registrar
      }
      """
    return (isSubmodel ? [] : [registrar]) + [
      """
      internal nonisolated func access<_$Member>(keyPath: Swift.KeyPath<\(name), _$Member>) {
        _$state.access(self, keyPath: keyPath)
      }
      """,
      """
      internal nonisolated func withMutation<_$Member, _$Result>(
        keyPath: Swift.KeyPath<\(name), _$Member>, _ mutation: () throws -> _$Result
      ) rethrows -> _$Result {
        try _$state.withMutation(of: self, keyPath: keyPath, mutation)
      }
      """,
    ]
  }
}

extension [String] {
  /// The lines of a body, indented by two columns.
  var indentedLines: String {
    map { "  \($0)" }.joined(separator: "\n")
  }
}
