import SwiftSyntax

/// The accessors and the storage of one persisted property.
///
/// With an index the value lives in the model (`_Stored`). Without one the attribute stands in a
/// class that spells out the members of `@Model` by hand: there the value lives in `_$backingData`
/// and the peer is the marker `_SwiftDataNoType`, as such code expects.
struct PropertyExpansion {
  let property: PersistedProperty
  let isBackedByHand: Bool
  /// Whether a superclass may have persisted properties, which come first.
  let isRelative: Bool
  let storesTransformable: Bool

  init?(
    _ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol, storesTransformable: Bool
  ) {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let binding = variable.bindings.first
    else { return nil }
    let written = node.labeledArguments.first?.expression.as(IntegerLiteralExprSyntax.self)
    let index = written.flatMap { Int($0.literal.text) }
    guard
      let property = PersistedProperty(
        index: index ?? -1, declaration: variable, binding: binding)
    else { return nil }
    self.property = property
    self.storesTransformable = storesTransformable
    isBackedByHand = index == nil
    isRelative = node.labeledArguments.contains { $0.label?.text == "isRelative" }
  }

  /// The property's place in the row, as an expression.
  var place: String { isRelative ? "_$at(\(property.index))" : "\(property.index)" }

  var accessors: [AccessorDeclSyntax] {
    isBackedByHand ? accessorsOfBackingData : [initAccessor, getter, setter]
  }

  var peers: [DeclSyntax] {
    let storage = property.storageName
    if isBackedByHand {
      return ["private var \(raw: storage): _SwiftDataNoType"]
    }
    if let type = property.binding.storageType {
      return ["private var \(raw: storage): SwiftData._Stored<\(type)>"]
    }
    guard let value = property.initialValue else { return [] }
    // The autoclosure only lends its type: the value comes through the init accessor.
    return ["private var \(raw: storage) = SwiftData._Stored.unset(of: \(value))"]
  }

  private var initAccessor: AccessorDeclSyntax {
    let storage = property.storageName
    return """
      @storageRestrictions(initializes: \(raw: storage))
      init(initialValue) {
        \(raw: storage) = SwiftData._Stored(initialValue)
      }
      """
  }

  private var getter: AccessorDeclSyntax {
    """
    get {
      _$state.access(self, keyPath: \\.\(property.identifier))
      if let value = \(raw: property.storageName).value { return value }
      return _$state.fault(self, \(raw: place))
    }
    """
  }

  private var setter: AccessorDeclSyntax {
    property.hasObservers
      ? observedSetter
      : """
      set {
        \(raw: assignment)
      }
      """
  }

  /// Stores `newValue` and tells the model's state and its observers.
  ///
  /// Observers come first: whatever they do to the context finds the model as it was, and what they do can't come between
  /// the mark of the change and the value. What the property was is asked for when they are done.
  private var assignment: String {
    let storage = property.storageName
    return """
      let _$tells = _$state.willMutate(self, keyPath: \\.\(property.identifier))
        let _$old = \(storage).value
        _$state.willChange(self, \(place))
        \(storage).value = newValue
        _$state.didChange(self, \(place), from: _$old, to: newValue)
        if _$tells { _$state.didMutate(self, keyPath: \\.\(property.identifier)) }
      """
  }
}
