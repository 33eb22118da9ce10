import SwiftSyntax

/// The accessors of a property whose class itself declares `_$backingData`.
extension PropertyExpansion {
  var accessorsOfBackingData: [String] {
    let storage = property.storageName
    let name = property.identifier
    let kind = storesTransformable ? "TransformableValue" : "Value"
    return [
      """
      @storageRestrictions(accesses: _$backingData, initializes: \(storage))
      init(initialValue) {
        _$backingData.set\(kind)(forKey: \\.\(name), to: initialValue)
        \(storage) = _SwiftDataNoType()
      }
      """,
      """
      get {
        _$observationRegistrar.access(self, keyPath: \\.\(name))
        return self.get\(kind)(forKey: \\.\(name))
      }
      """,
      """
      set {
        _$observationRegistrar.withMutation(of: self, keyPath: \\.\(name)) {
          self.set\(kind)(forKey: \\.\(name), to: newValue)
        }
      }
      """,
    ]
  }
}
