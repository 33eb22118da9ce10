import SwiftDataCore

/// Creates rows for a server's objects of one class without creating models.
///
/// Only for classes whose new objects need nothing but their row: the class has no synchronized relationship, only its
/// key is unique, it has no sync state to display, and its columns are stored unchanged.
struct ArrivalForm: Sendable {
  private enum Source: Sendable {
    case key
    case attribute(name: String, missing: SyncValue?)
    /// A property that isn't synchronized.
    case fixed
  }

  /// The conversion of one property into a column of a row.
  private struct Step: Sendable {
    let source: Source
    let column: ColumnPlan
    /// The index of the property among the members.
    let member: Int
    /// The cells of a property that isn't synchronized, the same in every row.
    var cells: [_Cell] = []
    var arena: [UInt8] = []
  }

  private let form: ModelForm
  private var steps: [Step] = []
  /// Whether the steps suffice for every row; otherwise, each row is created from a dictionary of values.
  private var isStraight = true
  private let order: MemberOrder

  var plan: EntityPlan { form.plan }
  var memberCount: Int { order.names.count }

  /// - Returns: nil for a class whose new objects need more than a row.
  init?(_ form: ModelForm, _ store: any KeyedRowStore) throws {
    let plan = form.plan
    let isAlone = plan.relationships.allSatisfy { index in
      guard let relationship = plan.properties[index].relationship else { return true }
      return relationship.isToMany ? relationship.minimumModelCount <= 0 : relationship.isOptional
    }
    guard form.annotations == nil, plan.family == nil, form.relationships.isEmpty,
      form.lists.isEmpty, form.marked.isEmpty, form.attachments.isEmpty,
      plan.uniqueness.count == 1, isAlone,
      store.keepsPlainRows(of: plan)
    else { return nil }
    self.form = form
    order = form.memberOrder
    isStraight = form.checked.isEmpty
    for (index, property) in plan.properties.enumerated() where !property.columns.isEmpty {
      let column = plan.columns[property.columns.lowerBound]
      let isPlain = property.columns.count == 1 && column.members.isEmpty
      guard let member = order.names.firstIndex(of: property.name) else {
        var step = Step(source: .fixed, column: column, member: -1)
        var row = _RowWriter(plan: plan)
        form.appendFixed(index, to: &row)
        (step.cells, step.arena) = (row.cells, row.arena)
        steps.append(step)
        continue
      }
      if !isPlain { isStraight = false }
      guard index != form.key else {
        steps.append(Step(source: .key, column: column, member: member))
        continue
      }
      var missing = try plan.defaultRow(of: index).map { form.defaultValue(of: index, $0) }
      if missing == nil, property.isOptional { missing = .null }
      steps.append(
        Step(
          source: .attribute(name: property.name, missing: missing), column: column,
          member: member))
    }
  }

  /// Creates rows for the objects that fit. An object that doesn't fit, or can't become a row, is merged like the
  /// others, which also reports the reason.
  func rows(of changes: [SyncRemote], at places: [Int]) -> SyncArrivals.Rows {
    var writer = ArrivalWriter(self)
    for place in places {
      let remote = changes[place]
      guard let values = remote.values else { continue }
      do { _ = try append(values, key: remote.object.key, at: place, to: &writer) } catch {
        writer.takeBack()
      }
    }
    return writer.finished
  }

  /// Creates a row for an object.
  ///
  /// - Parameters:
  ///   - given: The server's values, perhaps incomplete.
  ///   - key: The object's key in its local form.
  ///   - place: The index of the object in its page.
  /// - Returns: False for values that don't fit; nothing is appended then.
  private func append(
    _ given: SyncValues, key: String, at place: Int, to writer: inout ArrivalWriter
  ) throws -> Bool {
    if isStraight, appendStraight(given, key, &writer) {
      writer.finish(place) { values, text in order.write(values, into: &text) }
      return true
    }
    writer.takeBack()
    guard let (values, row) = try form.completed(given, key: key, over: nil) else { return false }
    Self.append(row.cells, row.arena, to: &writer.row)
    writer.finish(place) { _, text in SyncValue.object(values).write(into: &text) }
    return true
  }

  /// - Returns: False when a value doesn't fit, or isn't in the form that the store writes.
  private func appendStraight(
    _ given: SyncValues, _ key: String, _ writer: inout ArrivalWriter
  ) -> Bool {
    for step in steps {
      let value: SyncValue?
      switch step.source {
      case .key: value = form.value(ofKey: key)
      case .attribute(let name, let missing): value = given[name] ?? missing
      case .fixed:
        Self.append(step.cells, step.arena, to: &writer.row)
        continue
      }
      guard let value, ModelForm.isStored(value, step.column.kind),
        ModelForm.append(value, step.column, to: &writer.row)
      else { return false }
      writer.values[step.member] = value
    }
    return true
  }

  private static func append(_ cells: [_Cell], _ arena: [UInt8], to row: inout _RowWriter) {
    let start = Int64(row.arena.count)
    for cell in cells {
      var cell = cell
      if cell.kind == .text || cell.kind == .blob { cell.bits += start }
      row.cells.append(cell)
    }
    row.arena += arena
  }
}
