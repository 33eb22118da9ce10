import Foundation
import SwiftDataCore

/// Properties of a class that are not synchronized and have a default value for models from the
/// server.
struct LocalProperties {
  /// The values for models from the server.
  var values: [Int: any Sendable] = [:]
  /// The property in which the engine records whether there is something to send.
  var hasEdits: Int?
  /// The property in which the engine records when both sides last came to agree.
  var lastAgreed: Int?

  var properties: Set<Int> { Set(values.keys) }

  /// - Throws: ``SyncError/Code/unsupported`` for a property that can't have this role.
  init(
    _ model: SyncedModel, _ plan: EntityPlan, _ position: (AnyKeyPath) throws -> Int
  ) throws {
    for (keyPath, value) in model.isAnnotated ? [] : model.defaults {
      values[try Self.attribute(keyPath, plan, position)] = value
    }
    for (keyPath, kind) in model.marks {
      let index = try Self.attribute(keyPath, plan, position)
      switch kind {
      case .hasEdits:
        hasEdits = index
        values[index] = false
      case .lastAgreed:
        lastAgreed = index
        values[index] = Date.distantPast
      }
    }
  }

  static func attribute(
    _ keyPath: AnyKeyPath, _ plan: EntityPlan, _ position: (AnyKeyPath) throws -> Int
  ) throws -> Int {
    let index = try position(keyPath)
    guard plan.properties[index].relationship == nil, !plan.properties[index].columns.isEmpty else {
      throw SyncError(
        .unsupported,
        "\(plan.name).\(plan.properties[index].name) isn't a stored attribute, and no other can have"
          + " a default value for the exchange or be kept by the engine")
    }
    return index
  }
}

extension ModelForm {
  /// Returns the default values of an annotated class's synchronized properties.
  ///
  /// - Throws: ``SyncError/Code/unsupported`` when there are none, or when a property can't be
  ///   synchronized.
  func annotations(_ model: SyncedModel) throws -> SyncValues {
    var defaults: SyncValues = [:]
    for (keyPath, value) in model.defaults {
      let index = try LocalProperties.attribute(keyPath, plan) { plan.property(for: $0) ?? key }
      guard index != key else {
        throw SyncError(
          .unsupported,
          "\(plan.name).\(plan.properties[key].name) is the key, and can't be the user's")
      }
      var row = _RowWriter(plan: plan)
      row.property = index
      row.write(erased: value)
      if let failure = row.failure { throw failure }
      defaults[plan.properties[index].name] = defaultValue(of: index, row)
    }
    guard !defaults.isEmpty else {
      throw SyncError(.unsupported, "\(plan.name) names no property that is the user's")
    }
    if case .latestWins(let property) = policy, defaults[property] == nil {
      throw SyncError(
        .unsupported,
        "\(plan.name).\(property), which is to tell who was the last, isn't among the properties that"
          + " take part")
    }
    return defaults
  }

  /// Returns the values of the properties that display a model's sync state.
  func values(of mark: SyncMarking) -> SyncValues {
    var values: SyncValues = [:]
    if let index = local.hasEdits {
      values[plan.properties[index].name] = .boolean(mark.hasEdits)
    }
    if let index = local.lastAgreed, let agreed = mark.agreed {
      values[plan.properties[index].name] = .real(agreed.timeIntervalSinceReferenceDate)
    }
    return values
  }

  /// The properties that the engine writes for display.
  var marked: [Int] { [local.hasEdits, local.lastAgreed].compactMap(\.self) }
}
