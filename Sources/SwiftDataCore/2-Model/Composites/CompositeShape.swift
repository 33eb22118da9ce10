import Foundation
import Synchronization

/// A `Codable` structure whose members are simple enough to be columns.
///
/// Swift has no reflection that creates values, so the members are found by letting the structure decode itself from a
/// decoder that records each request. Structures with unusual requests (single values, lists, enumerations with
/// payload, inheritance) have no shape and become JSON.
package final class CompositeShape: Sendable {
  /// One member column, outermost name first.
  package struct Column: Sendable {
    package let path: [String]
    package let kind: ColumnKind
    package let isOptional: Bool
    /// The member's Swift type without its optional.
    package let type: String
  }

  package let columns: [Column]
  let indices: [String: Int]

  init(columns: [Column]) {
    self.columns = columns
    var indices: [String: Int] = [:]
    for (index, column) in columns.enumerated() {
      indices[column.path.joined(separator: ".")] = index
    }
    self.indices = indices
  }

  private static let cache = Mutex<[ObjectIdentifier: CompositeShape?]>([:])

  /// The shape of `type`, determined once; nil when it has none.
  package static func shape(of type: any Codable.Type) -> CompositeShape? {
    let key = ObjectIdentifier(type)
    if let known = cache.withLock({ $0[key] }) { return known }
    let learnt = inferShape(type)
    cache.withLock { $0[key] = .some(learnt) }
    return learnt
  }

  private static func inferShape(_ type: any Codable.Type) -> CompositeShape? {
    // Collections and enumerations sometimes decode from keyed containers; only structures are composites.
    guard isPlainStructure(type) else { return nil }
    let probe = CompositeProbe()
    do {
      _ = try type.init(from: ProbeDecoder(probe: probe, decoding: type))
    } catch {
      return nil
    }
    guard !probe.isUnsuitable, !probe.columns.isEmpty else { return nil }
    return CompositeShape(columns: probe.columns)
  }
}

extension CompositeShape {
  /// Whether a type is a plain structure: no enumeration, class or standard collection.
  static func isPlainStructure(_ type: any Any.Type) -> Bool {
    if type is any Collection.Type || type is any SetAlgebra.Type { return false }
    return TypeMetadata.kind(of: type) == .structure
  }
}
