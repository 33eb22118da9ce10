import SwiftSyntax
import SwiftSyntaxMacros

/// The accessors and the storage of one persisted property.
///
/// With an index the value is in the model (`_Stored`). Without an index the attribute is in a class that declares the
/// members of `@Model` by hand: there the value is in `_$backingData`, and the peer is the marker `_SwiftDataNoType`,
/// as such code expects.
struct PropertyExpansion {
  let property: PersistedProperty
  let isBackedByHand: Bool
  /// Whether a superclass may have persisted properties, which come first.
  let isRelative: Bool
  let storesTransformable: Bool

  init?(
    _ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext, storesTransformable: Bool
  ) {
    let written = declaration.as(VariableDeclSyntax.self)
    guard let variable = written?.resolvingAttributes(in: context.activeConfiguration),
      variable.bindings.count == 1,
      let binding = variable.bindings.first
    else { return nil }
    let position = node.labeledArguments.first?.expression.as(IntegerLiteralExprSyntax.self)
    let index = position.flatMap { Int($0.literal.text) }
    guard
      let property = PersistedProperty(
        index: index ?? -1, declaration: variable, binding: binding)
    else { return nil }
    self.property = property
    self.storesTransformable = storesTransformable
    isBackedByHand = index == nil
    isRelative = node.labeledArguments.contains { $0.label?.text == "isRelative" }
  }

  /// The property's position in the row, as an expression.
  var place: String { isRelative ? "_$at(\(property.index))" : "\(property.index)" }

  var accessors: [String] {
    if isBackedByHand { return accessorsOfBackingData }
    let accessors = [initAccessor, getter, setter]
    return changesInPlace ? accessors + [modifier] : accessors
  }

  var peers: [String] {
    isBackedByHand
      ? ["private var \(property.storageName): _SwiftDataNoType"]
      : [property.storage].compactMap { $0 }
  }

  private var initAccessor: String {
    let storage = property.storageName
    return """
      @storageRestrictions(initializes: \(storage))
      init(initialValue) {
        \(storage) = SwiftData._Stored(initialValue)
      }
      """
  }

  private var getter: String {
    """
    get {
      _$state.access(self, keyPath: \\.\(property.identifier))
      if let value = \(property.storageName).value { return value }
      return _$state.fault(self, \(place))
    }
    """
  }

  private var setter: String {
    property.hasObservers
      ? observedSetter
      : """
      set {
        \(assignment)
      }
      """
  }

  /// Whether the property may be a list of models, which is changed in place. Observers that the property declares run
  /// from the setter.
  private var changesInPlace: Bool {
    guard !property.hasObservers, !property.declaration.isConstant, property.attribute == nil,
      !storesTransformable,
      let element = property.binding.storageType?.arrayElement
    else { return false }
    return !element.isPlainValue
  }

  /// Does the same as the getter followed by the setter, but without copying the list: while the caller changes it, the
  /// storage holds a spare copy, if there is one, so that the list isn't shared. Code that reads the property in the
  /// meantime gets its former value.
  private var modifier: String {
    let storage = property.storageName
    let type = property.binding.storageTypeText ?? ""
    return """
      _modify {
        _$state.access(self, keyPath: \\.\(property.identifier))
        var _$list: \(type) = \(storage).value ?? _$state.fault(self, \(place))
        if let _$spare = _$state.spare(of: _$list, \(place)) { \(storage).value = _$spare }
        defer {
          let _$told = _$state.willMutate(self, keyPath: \\.\(property.identifier))
          var _$old = \(storage).value
          _$state.willChange(self, \(place))
          \(storage).value = _$list
          _$state.didModify(self, \(place), from: &_$old, to: _$list)
          if let _$told { _$state.didMutate(self, _$told) }
        }
        yield &_$list
      }
      """
  }

  /// Stores `newValue` and notifies the model's state and its observers.
  ///
  /// Observers come first: whatever they do to the context finds the model unchanged, and their actions can't come
  /// between the mark of the change and the value. The former value is read after they have finished.
  private var assignment: String {
    let storage = property.storageName
    return """
      let _$told = _$state.willMutate(self, keyPath: \\.\(property.identifier))
        let _$old = \(storage).value
        _$state.willChange(self, \(place))
        \(storage).value = newValue
        _$state.didChange(self, \(place), from: _$old, to: newValue)
        if let _$told { _$state.didMutate(self, _$told) }
      """
  }
}
