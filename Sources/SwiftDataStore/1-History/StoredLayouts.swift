import SwiftDataCore

/// The forms that entities ever had in a store, mapped to the current models: changes identify properties by their
/// positions in such a form.
package struct StoredLayouts: Sendable {
  /// One form of an entity.
  package struct Layout: Sendable {
    package let plan: EntityPlan
    /// The property at each position; nil for one that no longer exists.
    package let properties: [Int?]

    /// The property at a position that may be any number.
    func property(_ position: Int) -> Int? {
      properties.indices.contains(position) ? properties[position] : nil
    }
  }

  private let plans: [EntityPlan]
  private var layouts: [Int64: Layout] = [:]

  package init(_ plans: [EntityPlan]) { self.plans = plans }

  /// Only the present forms.
  ///
  /// - Parameter numbers: Their numbers, by entity.
  package init(_ plans: [EntityPlan], present numbers: [String: Int64]) {
    self.plans = plans
    for plan in plans {
      guard let id = numbers[plan.name] else { continue }
      layouts[id] = Layout(plan: plan, properties: Array(plan.properties.indices))
    }
  }

  /// Adds a form. Changes of entities that the models no longer have can't be represented, so their forms are left out.
  ///
  /// - Parameter names: The names of the properties, see ``names(of:)``.
  package mutating func add(_ id: Int64, entity: String, names: String) {
    guard let plan = plans.first(where: { $0.name == entity }) else { return }
    let names = names.split(separator: "\n", omittingEmptySubsequences: false)
    layouts[id] = Layout(
      plan: plan,
      properties: names.map { name in
        plan.propertiesByName[String(name)]
          ?? plan.properties.firstIndex { $0.originalName == name }
      })
  }

  package subscript(id: Int64) -> Layout? { layouts[id] }

  /// The names of an entity's properties in order. Swift's identifiers have no line breaks.
  package static func names(of plan: EntityPlan) -> String {
    plan.properties.map(\.name).joined(separator: "\n")
  }
}
