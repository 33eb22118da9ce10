/// Key paths over several relationships, such as `\Reading.station?.country`.
enum RelationshipPath {
  /// The position of the first relationship on the way to others; nil for a key path to something else.
  static func firstRelationship(of keyPath: AnyKeyPath, _ plan: EntityPlan) -> Int? {
    guard leadsToModels(type(of: keyPath).valueType) else { return nil }
    let description = keyPath.debugDescription
    return plan.relationships.first { index in
      let first = plan.properties[index].keyPath.debugDescription
      guard description.hasPrefix(first), let next = description.dropFirst(first.count).first else {
        return false
      }
      return ".?!".contains(next)
    }
  }

  /// Whether a key path leads to one model. Lists behind other relationships are loaded on access: a list that is
  /// loaded keeps its models, and these no longer keep the owner of the list.
  static func leadsToOne(_ keyPath: AnyKeyPath) -> Bool {
    var type: any Any.Type = type(of: keyPath).valueType
    while let optional = type as? any OptionalType.Type { type = optional.wrappedType }
    return type is any PersistentModel.Type
  }

  private static func leadsToModels(_ type: any Any.Type) -> Bool {
    switch type {
    case is any PersistentModel.Type, is any ErasedModelArray.Type: true
    case let optional as any OptionalType.Type: leadsToModels(optional.wrappedType)
    default: false
    }
  }
}
