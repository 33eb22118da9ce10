import SwiftData
import SwiftDataSQL

/// Which of the classes that take part are subclasses of which.
///
/// Each class takes part under its own name, and a model under that of its own class. The classes of a family share a key,
/// so that a reference to one of them says which model it means.
struct ModelFamilies {
  /// The entities that take part, by the entity of a class with subclasses or a superclass: itself and its subclasses.
  let members: [String: [String]]
  private let single: Set<String>
  /// The superclasses of each entity, with itself.
  private let lines: [String: [String]]
  /// The classes of which some subclasses don't take part, or that don't do so themselves.
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
            other.table == form.table
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

  /// The entities of the objects that a relationship to an entity can lead to.
  func members(of entity: String) -> [String] {
    members[entity] ?? (single.contains(entity) ? [entity] : [])
  }

  /// The entities by which a relationship can lead to an object.
  func line(of entity: String) -> [String] { lines[entity] ?? [entity] }

  /// Whether a relationship to an entity can lead to a model that doesn't take part.
  func leadsOutside(_ entity: String) -> Bool { partial.contains(entity) }
}
