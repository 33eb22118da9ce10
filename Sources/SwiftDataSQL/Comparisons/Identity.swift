import SwiftDataCore

/// Comparison of a row ID with a captured identifier.
enum Identity {
  static func equal(
    _ term: Term, _ constant: Any, in translation: Translation
  ) throws(Untranslatable) -> Condition {
    guard let value = ConstantEncoding.unwrap(constant) else {
      return term.isOptional
        ? Equality.isNil(term.fragment, in: translation.dialect)
        : Condition(false, in: translation.dialect)
    }
    guard let identifier = value as? PersistentIdentifier else {
      throw Untranslatable("a \(type(of: value)) is compared with an identifier")
    }
    guard let rowID = try rowID(of: identifier, in: translation, entity: term.entity) else {
      return Condition(false, in: translation.dialect)
    }
    return Equality.condition(
      term.fragment, SQLFragment(binding: .integer(rowID)), by: .stored,
      isOptional: term.isOptional, in: translation.dialect)
  }

  /// The row that `identifier` names; nil when it can't be a row of `entity`, or of a subclass of
  /// it, in this store. A class and its subclasses share a table, so their row IDs never collide.
  static func rowID(
    of identifier: PersistentIdentifier, in translation: Translation, entity: EntityPlan?
  ) throws(Untranslatable) -> Int64? {
    if let entity, identifier.entityName != entity.name {
      guard let family = entity.family,
        family.descendants(of: entity).contains(where: { $0.name == identifier.entityName })
      else { return nil }
    }
    if let store = translation.storeIdentifier, identifier.storeIdentifier != store { return nil }
    return identifier.rowID
  }
}
