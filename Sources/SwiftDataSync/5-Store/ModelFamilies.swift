import Foundation
import SwiftDataCore

/// The inheritance relations of the synchronized classes.
///
/// Each class is synchronized under its own name, and a model under the name of its own class. The classes of a family
/// share a key, so that a reference to one of them identifies the model.
struct ModelFamilies {
  /// For each class with subclasses or a superclass, the synchronized entities among itself and its subclasses.
  let members: [String: [String]]
  private let single: Set<String>
  /// For each entity, its superclasses and itself.
  private let lines: [String: [String]]
  /// The classes that aren't synchronized themselves, or that have subclasses that aren't.
  private let partial: Set<String>

  /// - Throws: ``SyncError/Code/unsupported`` when classes of a family have different keys.
  init(_ forms: [String: ModelForm]) throws {
    var members: [String: [String]] = [:]
    var lines: [String: [String]] = [:]
    var partial: Set<String> = []
    var single: Set<String> = []
    for form in forms.values.sorted(by: { $0.entity < $1.entity }) {
      guard let family = form.plan.family else {
        single.insert(form.entity)
        continue
      }
      for plan in family.plans where members[plan.name] == nil {
        let all = family.descendants(of: plan).map(\.name)
        let taking = all.filter { forms[$0] != nil }
        members[plan.name] = taking
        if taking.count < all.count { partial.insert(plan.name) }
        for name in taking { lines[name, default: []].append(plan.name) }
        for name in taking {
          guard let other = forms[name], other.keyColumn.name != form.keyColumn.name,
            other.plan.table == form.plan.table
          else { continue }
          throw SyncError(
            .unsupported,
            "\(form.entity) and \(name) have a common superclass and different sync keys. Give them"
              + " the same, a property of that superclass.")
        }
      }
    }
    self.members = members
    self.lines = lines
    self.partial = partial
    self.single = single
  }

  /// Returns the entities of the objects that a relationship to an entity can refer to.
  func members(of entity: String) -> [String] {
    members[entity] ?? (single.contains(entity) ? [entity] : [])
  }

  /// Returns the entities through which a relationship can refer to an object.
  func line(of entity: String) -> [String] { lines[entity] ?? [entity] }

  /// Whether a relationship to an entity can refer to a model that isn't synchronized.
  func leadsOutside(_ entity: String) -> Bool { partial.contains(entity) }
}
