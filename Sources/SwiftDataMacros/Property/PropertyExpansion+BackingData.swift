import SwiftSyntax

/// The accessors of a property whose class declares `_$backingData` itself.
extension PropertyExpansion {
  var accessorsOfBackingData: [AccessorDeclSyntax] {
    let storage = property.storageName
    let name = property.identifier
    let kind = storesTransformable ? "TransformableValue" : "Value"
    return [
      """
      @storageRestrictions(accesses: _$backingData, initializes: \(raw: storage))
      init(initialValue) {
        _$backingData.set\(raw: kind)(forKey: \\.\(name), to: initialValue)
        \(raw: storage) = _SwiftDataNoType()
      }
      """,
      """
      get {
        _$observationRegistrar.access(self, keyPath: \\.\(name))
        return self.get\(raw: kind)(forKey: \\.\(name))
      }
      """,
      """
      set {
        _$observationRegistrar.withMutation(of: self, keyPath: \\.\(name)) {
          self.set\(raw: kind)(forKey: \\.\(name), to: newValue)
        }
      }
      """,
    ]
  }
}
