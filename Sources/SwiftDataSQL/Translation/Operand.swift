import SwiftDataCore

/// The meaning of a part of a predicate during translation.
enum Operand {
  /// A value that doesn't depend on the model.
  case constant(Any)
  /// One SQL value.
  case term(Term)
  /// A computed truth value.
  case condition(Condition)
  /// A model, by its row ID.
  case model(ModelReference)
  /// A structure stored in several columns.
  case composite(CompositeReference)
  /// A range of which only the bounds exist in SQL.
  case range(RangeBounds)
  /// Many models, or the elements of a stored list, as rows of a subquery.
  indirect case elements(ElementRows)
}

/// One SQL value.
struct Term {
  var fragment: SQLFragment
  var kind: TermKind
  /// Whether it may be NULL, which represents nil. Otherwise it is never NULL.
  var isOptional: Bool
  /// Whether it is a column, and thus NULL whenever the value that contains it is nil.
  var isColumn = false
  /// For `base ?? fallback`: both parts, so that a comparison can use the bare column, which an
  /// index can search.
  var coalesced: Coalesced?
  /// For a row ID: the entity that it belongs to, which includes the entity's subclasses.
  var entity: EntityPlan?

  final class Coalesced {
    let base: Term
    let fallback: Any

    init(base: Term, fallback: Any) {
      self.base = base
      self.fallback = fallback
    }
  }

  init(_ fragment: SQLFragment, _ kind: TermKind, isOptional: Bool = false, isColumn: Bool = false)
  {
    self.fragment = fragment
    self.kind = kind
    self.isOptional = isOptional
    self.isColumn = isColumn
  }

  /// Refuses a value in another encoding: values of one Swift type may be stored in two, as with `.codable`.
  func checkEncoding(_ encoding: ColumnKind) throws(Untranslatable) {
    guard kind.encoding == encoding else {
      throw Untranslatable("values of one type are stored in different forms")
    }
  }
}

/// A model reached from the fetched one.
struct ModelReference {
  let names: EntityNames
  /// The row ID; NULL where there is no model.
  let rowID: SQLFragment
  /// The number of references that lead to the model from a row with an alias; 0 for that row
  /// itself.
  let depth: Int
  var isOptional: Bool
  /// The alias of the row where the model is a row of a FROM clause.
  var alias: String?

  /// A row of a FROM clause.
  init(_ names: EntityNames, row alias: String) {
    self.names = names
    self.alias = alias
    rowID = SQLFragment(alias + ".\(SQLIdentifier.rowID)")
    depth = 0
    isOptional = false
  }

  /// The model with the given row ID.
  init(_ names: EntityNames, rowID: SQLFragment, depth: Int, isOptional: Bool) {
    self.names = names
    self.rowID = rowID
    self.depth = depth
    self.isOptional = isOptional
  }

  /// The SQL of one of the model's columns.
  func column(_ index: Int) -> SQLFragment {
    if alias == "t0" { return SQLFragment(names.rootColumns[index]) }
    return column(named: names.columns[index])
  }

  /// - Parameter name: The quoted column name.
  func column(named name: String) -> SQLFragment {
    if let alias { return SQLFragment("\(alias).\(name)") }
    let alias = "t\(depth)"
    return rowID.enclosed(
      "(SELECT \(alias).\(name) FROM \(names.table) AS \(alias)"
        + " WHERE \(alias).\(SQLIdentifier.rowID) = ", ")")
  }
}

/// A structure in columns, or a structure inside it.
struct CompositeReference {
  let model: ModelReference
  let property: Int
  let members: [String]
  var isOptional: Bool
}

struct RangeBounds {
  var lower: Any?
  var upper: Any?
  var includesUpper: Bool
}
