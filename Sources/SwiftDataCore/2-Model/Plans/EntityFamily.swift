import Synchronization

/// The model classes of one inheritance tree: their rows are in one table, and a column holds the class of each row.
package final class EntityFamily: Sendable {
  /// The column with the name of the row's entity.
  package static let discriminator = "_entity"

  /// The name of the topmost class's entity, which is the name of the table.
  package let table: String
  private let members = Mutex<[EntityPlan]>([])

  init(table: String) { self.table = table }

  func add(_ plan: EntityPlan) { members.withLock { $0.append(plan) } }

  /// The plans, superclasses first.
  package var plans: [EntityPlan] { members.withLock { $0 } }

  /// `plan` and the plans of its subclasses.
  package func descendants(of plan: EntityPlan) -> [EntityPlan] {
    plans.filter { ModelInheritance.isClass($0.type, orSubclassOf: plan.type) }
  }

  /// Whether `plan` is of the topmost class.
  package func isRoot(_ plan: EntityPlan) -> Bool { plan.name == table }

  /// The columns of the table, each once, with the first plan that has it.
  package var columns: [(plan: EntityPlan, column: Int)] {
    var known: Set<String> = []
    return plans.flatMap { plan in
      plan.columns.indices.filter { known.insert(plan.columns[$0].name).inserted }
        .map { (plan, $0) }
    }
  }
}

/// The families of a schema's classes and the names of their columns.
struct EntityFamilies {
  private var families: [ObjectIdentifier: EntityFamily] = [:]
  /// Column names by entity and property, for properties whose name several classes of a family declare.
  private var columnNames: [String: [String: String]] = [:]

  init(_ types: [any PersistentModel.Type]) {
    for (root, members) in Dictionary(
      grouping: types, by: { ObjectIdentifier(ModelInheritance.root(of: $0)) })
    where members.count > 1 {
      guard let first = members.first else { continue }
      families[root] = EntityFamily(table: Self.name(of: ModelInheritance.root(of: first)))
      nameColumns(of: members)
    }
  }

  private static func name(of type: any PersistentModel.Type) -> String {
    func open<Model: PersistentModel>(_ type: Model.Type) -> String { Schema.entityName(for: type) }
    return open(type)
  }

  private static func ownProperties(of type: any PersistentModel.Type) -> [String] {
    type.schemaMetadata.filter { !($0.metadata is any PropertyPaths) }
      .dropFirst(ModelInheritance.inheritedCount(of: type)).map(\.name)
  }

  private mutating func nameColumns(of members: [any PersistentModel.Type]) {
    var owners: [String: [String]] = [:]
    for type in members {
      for property in Self.ownProperties(of: type) {
        owners[ColumnPlan.free(property).lowercased(), default: []].append(Self.name(of: type))
      }
    }
    for type in members {
      var ancestor: (any PersistentModel.Type)? = type
      while let current = ancestor {
        for property in Self.ownProperties(of: current)
        where (owners[ColumnPlan.free(property).lowercased()]?.count ?? 0) > 1 {
          columnNames[Self.name(of: type), default: [:]][property] =
            "\(Self.name(of: current))_\(property)"
        }
        ancestor = ModelInheritance.superclass(of: current)
      }
    }
  }

  func family(of type: any PersistentModel.Type) -> EntityFamily? {
    families[ObjectIdentifier(ModelInheritance.root(of: type))]
  }

  func columnName(of property: String, in entity: String) -> String {
    columnNames[entity]?[property] ?? property
  }
}
