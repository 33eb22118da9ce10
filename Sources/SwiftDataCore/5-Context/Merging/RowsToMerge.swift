/// Rows that others have changed and of which a context has models.
struct RowsToMerge {
  /// The properties whose values may have changed.
  enum Properties {
    case all
    case some(Set<Int>)

    mutating func formUnion(_ other: Properties) {
      guard case .some(let mine) = self, case .some(let theirs) = other else {
        self = .all
        return
      }
      self = .some(mine.union(theirs))
    }

    func contains(_ property: Int) -> Bool {
      switch self {
      case .all: true
      case .some(let properties): properties.contains(property)
      }
    }
  }

  /// The changed properties by table and row ID.
  private(set) var rows: [String: [Int64: Properties]] = [:]
  /// The entities of which rows were inserted, deleted or had a relationship changed: lists of them may have changed.
  var linked: Set<String> = []

  var isEmpty: Bool { rows.isEmpty && linked.isEmpty }

  mutating func insert(_ rowID: Int64, of plan: EntityPlan, _ properties: Properties) {
    rows[plan.table, default: [:]][rowID, default: properties].formUnion(properties)
  }

  mutating func formUnion(_ other: RowsToMerge) {
    linked.formUnion(other.linked)
    rows.merge(other.rows) { mine, theirs in
      mine.merging(theirs) { mine, theirs in
        var union = mine
        union.formUnion(theirs)
        return union
      }
    }
  }

  /// Adds a transaction's changes of rows that `registered` has models of.
  mutating func insert(_ change: ChangedRows, registered: RowIDMap?) {
    let plan = change.plan
    if let properties = change.properties {
      for relationship in properties.compactMap({ plan.properties[$0].relationship }) {
        linked.insert(plan.name)
        // A list with a new order: nothing else at its other end has changed.
        if relationship.storage != .column { linked.insert(relationship.destinationEntity) }
      }
    } else {
      linked.insert(plan.name)
    }
    guard let registered else { return }
    let properties = change.properties.map { Properties.some(Set($0)) } ?? .all
    for rowID in registered.rowIDs(in: change.rowIDs) { insert(rowID, of: plan, properties) }
  }
}
