import Foundation
import Synchronization

/// Finds the transformer of a property: the one registered under its name, otherwise an instance of the class that the
/// attribute names.
struct TransformerSearch {
  private let entity: String
  private let property: String
  private let name: String

  init(_ plan: EntityPlan, _ property: PropertyPlan) {
    entity = plan.name
    self.property = property.name
    name = property.storage.transformerName ?? ""
  }

  /// - Throws: ``SchemaError`` when there is none.
  func run() throws -> ValueTransformer {
    if let transformer = Self.registered(name) { return transformer }
    if let known = TransformerTypes.transformer(named: name) { return known }
    throw SchemaError.missingTransformer(entity: entity, property: property, name: name)
  }

  private static func registered(_ name: String) -> ValueTransformer? {
    let whole = ValueTransformer.valueTransformer(forName: NSValueTransformerName(name))
    guard whole == nil, let bare = name.split(separator: ".").last, bare.count < name.count else {
      return whole
    }
    return ValueTransformer.valueTransformer(forName: NSValueTransformerName(String(bare)))
  }
}

/// The transformer classes that `.transformable(by: T.self)` named, with an instance of each.
enum TransformerTypes {
  private struct Known: @unchecked Sendable {
    // Unchecked: transformers are meant to be shared by all threads.
    let type: ValueTransformer.Type
    var instance: ValueTransformer?
  }

  private static let known = Mutex<[String: Known]>([:])

  /// - Returns: The name under which the class is registered, including its module.
  static func register(_ type: ValueTransformer.Type) -> String {
    let name = String(reflecting: type)
    known.withLock { known in
      if known[name] == nil { known[name] = Known(type: type) }
    }
    return name
  }

  static func transformer(named name: String) -> ValueTransformer? {
    guard let found = known.withLock({ $0[name] }) else { return nil }
    if let instance = found.instance { return instance }
    // The initialiser is the program's own code, so it runs outside the lock.
    let made = Known(type: found.type, instance: found.type.init())
    return known.withLock { known in
      if let first = known[name], first.instance != nil { return first }
      known[name] = made
      return made
    }.instance
  }
}
