import SwiftDataCore

extension Translation {
  /// - Parameter type: The type of the result.
  mutating func optionalFlatMap(
    _ wrapped: PredicateNode, _ key: VariableID, _ transform: PredicateNode,
    _ type: any OptionalType.Type
  ) throws(Untranslatable) -> Operand {
    if TypeInspection.isNestedOptional(type) {
      throw Untranslatable("\(type) has two kinds of nil")
    }
    let outer = approximation
    approximation = .none
    defer { approximation = outer }
    let wrapped = try operand(wrapped)
    let presence: SQLFragment
    let inner: Operand
    // The columns that are NULL when the structure is nil.
    var members: [String] = []
    switch wrapped {
    case .constant(let value):
      guard let unwrapped = ConstantEncoding.unwrap(value) else {
        return .constant(type.makeOptional(nil))
      }
      return try binding(key, to: .constant(unwrapped)) {
        (nested) throws(Untranslatable) in try nested.operand(transform)
      }
    case .term(var term):
      presence = term.fragment
      if term.coalesced != nil { throw Untranslatable("an alternative to nil is mapped") }
      term.isOptional = false
      inner = .term(term)
    case .model(var model):
      presence = model.rowID
      model.isOptional = false
      inner = .model(model)
    case .composite(var composite):
      guard let column = composite.model.names.presenceColumn(of: composite.property) else {
        throw Untranslatable("a structure inside a structure is never nil in columns")
      }
      presence = composite.model.column(column)
      members = composite.model.names.plan.properties[composite.property].columns.map {
        composite.model.column($0).sql
      }
      composite.isOptional = false
      inner = .composite(composite)
    case .elements(var rows):
      // A to-many relationship is never nil in the store; only the model it belongs to may be.
      guard let known = rows.presence else {
        return try binding(key, to: wrapped) {
          (nested) throws(Untranslatable) in try nested.operand(transform)
        }
      }
      presence = known
      rows.presence = nil
      inner = .elements(rows)
    case .condition, .range: throw Untranslatable("only values that are stored can be mapped")
    }
    let result = try binding(key, to: inner) {
      (nested) throws(Untranslatable) in try nested.operand(transform)
    }
    return try optional(result, where: presence, members, type)
  }

  /// `result` where `presence` isn't NULL, nil elsewhere.
  private func optional(
    _ result: Operand, where presence: SQLFragment, _ members: [String], _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    let isThere = presence.appending(" IS NOT NULL")
    switch result {
    case .condition(var condition):
      // A truth value that is itself nil, from a chain inside the chain, needs both conditions.
      condition.presence = condition.presence.map { isThere.appending(" AND ", $0) } ?? isThere
      return .condition(condition)
    case .term(var term):
      // A member of nil is NULL already: a column of the structure, or a column of a row that is
      // looked up by the key in `presence`.
      let sql = term.fragment.sql
      if !term.isColumn || !(members.contains(sql) || sql.contains(presence.sql)) {
        term.isColumn = false
        term.fragment = isThere.enclosed("(CASE WHEN ", " THEN ")
          .appending("", term.fragment, " END)")
      }
      term.isOptional = true
      term.coalesced = nil
      return .term(term)
    case .constant(let value):
      guard let kind = TermKind(ofConstants: type) else {
        throw Untranslatable("a chain ends in a captured value")
      }
      let term = try Operand.constant(value).term(as: kind)
      return .term(
        Term(
          isThere.enclosed("(CASE WHEN ", " THEN ").appending("", term.fragment, " END)"), kind,
          isOptional: true))
    case .model(var model):
      model.isOptional = true
      return .model(model)
    case .elements(var rows):
      rows.presence = presence
      return .elements(rows)
    case .composite, .range: throw Untranslatable("a chain ends in a structure")
    }
  }
}
