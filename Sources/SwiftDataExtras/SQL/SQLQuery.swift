import Foundation
import SwiftDataCore

/// A statement in SQL whose interpolations are values and names, never text.
///
/// `\(value)` is bound to a parameter; `\(table:)` and `\(column:)` are the quoted names of a model's table and of a
/// property's column.
public struct SQLQuery: ExpressibleByStringInterpolation, Sendable {
  let parts: [SQLPart]

  public init(stringLiteral value: String) { parts = [.text(value)] }

  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// The parts of a statement, as the compiler collects them.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [SQLPart] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    public mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

    /// A value, bound to a parameter in the encoding of a property's column.
    public mutating func appendInterpolation(_ value: some SQLConvertible) {
      parts.append(.value(value._sqlConstant))
    }

    /// An optional value; nil is bound as NULL.
    public mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) {
      parts.append(.value(value?._sqlConstant))
    }

    /// A value, bound as its raw value.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: SQLConvertible { parts.append(.value(value.rawValue._sqlConstant)) }

    /// The row ID of a saved model.
    public mutating func appendInterpolation(_ identifier: PersistentIdentifier) {
      parts.append(.identifier(identifier))
    }

    /// The table of a model; subclasses share the table of their root class.
    public mutating func appendInterpolation<Model: PersistentModel>(table: Model.Type) {
      parts.append(.table(table))
    }

    /// The column of a property, of a composite's member, or of a to-one relationship, without its table.
    public mutating func appendInterpolation<Model: PersistentModel, Value>(
      column: KeyPath<Model, Value>
    ) { parts.append(.column(Model.self, column)) }
  }
}
