import SwiftDataCore

/// The order in which the inserted models of a save get their rows.
///
/// A unique value may lead to another inserted model, whose row is known only when its own unique values were looked
/// for: a model comes after those to which its unique values lead. Otherwise, classes come in the order of their
/// tables, so that saves that look for the same rows don't wait for each other in a circle.
struct InsertionOrder {
  /// Models of one class that get rows together.
  struct Step {
    let plan: EntityPlan
    /// The positions of the models in the save.
    let positions: [Int]
  }

  private(set) var steps: [Step] = []
  private let plansByType: [ObjectIdentifier: EntityPlan]
  /// The relationships in uniqueness constraints, by class.
  private var references: [ObjectIdentifier: [Int]] = [:]
  /// The number of classes one after another to which the unique values of a class lead.
  private var ranks: [ObjectIdentifier: Int] = [:]
  /// The number of models one after another that come before a model, where unique values lead to models.
  private var levels: [ObjectIdentifier: Int] = [:]

  /// - Parameter groups: The positions of the models by class.
  init(
    _ models: [any PersistentModel], _ groups: [(plan: EntityPlan, positions: [Int])],
    plansByType: [ObjectIdentifier: EntityPlan]
  ) {
    self.plansByType = plansByType
    let leadsOn = groups.contains { !relationships(of: $0.plan).isEmpty }
    guard leadsOn else {
      steps = Self.sorted(groups.map { Step(plan: $0.plan, positions: $0.positions) })
      return
    }
    let inserted = Set(models.map { ObjectIdentifier($0) })
    for (plan, positions) in groups where !relationships(of: plan).isEmpty {
      for position in positions { findLevels(from: models[position], among: inserted) }
    }
    var byLevel: [Int: [Step]] = [:]
    for (plan, positions) in groups {
      let ownLevels = Dictionary(grouping: positions) { levels[ObjectIdentifier(models[$0])] ?? 0 }
      for (level, positions) in ownLevels {
        byLevel[level, default: []].append(Step(plan: plan, positions: positions))
      }
    }
    steps = byLevel.sorted { $0.key < $1.key }.flatMap { Self.sorted($0.value) }
  }

  private static func sorted(_ steps: [Step]) -> [Step] {
    steps.sorted { $0.plan.isWritten(before: $1.plan) }
  }

  /// The relationships in the uniqueness constraints of a class.
  private mutating func relationships(of plan: EntityPlan) -> [Int] {
    if let known = references[ObjectIdentifier(plan)] { return known }
    let properties = Set(plan.uniqueness.joined().map { plan.columns[$0].property })
    let found = properties.filter { plan.properties[$0].relationship != nil }.sorted()
    references[ObjectIdentifier(plan)] = found
    return found
  }

  /// Also an updated model's unique values may lead to an inserted model, so that classes to which those of others lead
  /// come first.
  private mutating func rank(of plan: EntityPlan) -> Int {
    if let known = ranks[ObjectIdentifier(plan)] { return known }
    // Classes that lead to each other in a circle have no order.
    ranks[ObjectIdentifier(plan)] = 0
    var rank = 0
    for index in relationships(of: plan) {
      guard let type = plan.properties[index].relationship?.destination,
        let destination = plansByType[ObjectIdentifier(type)], destination.table != plan.table
      else { continue }
      rank = max(rank, self.rank(of: destination) + 1)
    }
    ranks[ObjectIdentifier(plan)] = rank
    return rank
  }

  private mutating func findLevels(
    from model: any PersistentModel, among inserted: Set<ObjectIdentifier>
  ) {
    var begun: Set<ObjectIdentifier> = []
    var stack = [model]
    while let top = stack.last {
      let identity = ObjectIdentifier(top)
      guard levels[identity] == nil, let plan = top._$modelState.plan else {
        stack.removeLast()
        continue
      }
      let destinations = relationships(of: plan).flatMap { top.links(at: $0).models ?? [] }
        .filter { inserted.contains(ObjectIdentifier($0)) }
      if begun.insert(identity).inserted {
        let waiting = destinations.filter {
          levels[ObjectIdentifier($0)] == nil && !begun.contains(ObjectIdentifier($0))
        }
        if !waiting.isEmpty {
          stack += waiting
          continue
        }
      }
      stack.removeLast()
      let before = destinations.compactMap { levels[ObjectIdentifier($0)] }.max() ?? -1
      levels[identity] = max(rank(of: plan), before + 1)
    }
  }
}
