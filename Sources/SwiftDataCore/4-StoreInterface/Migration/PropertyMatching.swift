/// The assignment of an entity's properties to those of an earlier form of the entity.
///
/// A property whose `originalName` differs from its name comes from the property that had this name, or the same
/// original name; every other property comes from the one of the same name. No two properties come from the same one.
package struct PropertyMatching {
  private var sources: [String: PropertyDescription] = [:]
  /// The earlier properties that no property comes from.
  package private(set) var removed: [PropertyDescription] = []

  package init(from old: EntityDescription, to new: EntityDescription) {
    var free = old.properties
    func take(_ property: PropertyDescription, _ condition: (PropertyDescription) -> Bool) -> Bool {
      guard let position = free.firstIndex(where: condition) else { return false }
      sources[property.name] = free.remove(at: position)
      return true
    }
    let renamed = new.properties.filter { $0.originalName != $0.name }
    var open: [PropertyDescription] = []
    // A later version keeps the original name, so the property's own name is tried first.
    for property in renamed
    where !take(
      property, { $0.name == property.name && $0.originalName == property.originalName })
    {
      open.append(property)
    }
    for property in open {
      if take(property, { $0.name == property.originalName }) { continue }
      if take(property, { $0.originalName == property.originalName }) { continue }
      _ = take(property) { $0.name == property.name }
    }
    for property in new.properties where property.originalName == property.name {
      if take(property, { $0.name == property.name }) { continue }
      // An earlier version declared this name as the original one.
      _ = take(property) { $0.originalName == property.name }
    }
    removed = free
  }

  /// The earlier property that the property comes from; nil when it is new.
  package subscript(property: PropertyDescription) -> PropertyDescription? {
    sources[property.name]
  }
}
