import BenchmarkSupport
import Foundation
import LocalCopy
import Synchronization
import SwiftData

/// Trials from the bytes of a feed in memory to structures, none of which is stored.
enum JSONTrials {
  /// The baseline: JSONDecoder decodes the whole document.
  static let decoder = Trial("feed") { place in
    let document = try Data(contentsOf: FeedTrials.feed(place))
    return Run(reading: {
      var sum = Checksum()
      let decoded = try JSONDecoder().decode(FeedTrials.Collection.self, from: document)
      for feature in decoded.features { sum.add(feature) }
      return sum
    })
  }

  /// Decodes with `Decodable` alone.
  static let general = Trial("feed") { try read($0, Plainly<WantedFeature>.self) { $0.value } }

  /// Decodes with the code that `@FeedElement` generates.
  static let direct = Trial("feed") { try read($0, WantedFeature.self) { $0 } }

  /// The same through a local copy that keeps nothing; includes reading the file.
  static let copied = Trial("feed") { try copy($0, WantedFeature.self) { $0 } }

  /// Decodes its value with `Decodable`, whichever macros the value's type has.
  private struct Plainly<Value: Decodable & Sendable>: Decodable, Sendable {
    let value: Value
    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
  }

  private static func read<Element: Decodable>(
    _ place: Place, _ type: Element.Type, _ feature: @escaping @Sendable (Element) -> WantedFeature
  ) throws -> Run {
    let document = try Data(contentsOf: FeedTrials.feed(place))
    return Run(reading: {
      var sum = Checksum()
      let reader = ElementReader<Element>(at: "features")
      try reader.read(document) { _, element in sum.add(feature(try element.get())) }
      try reader.finish()
      return sum
    })
  }

  private static func copy<Element: Decodable & Sendable>(
    _ place: Place, _ type: Element.Type, _ feature: @escaping @Sendable (Element) -> WantedFeature
  ) throws -> Run {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: place.file))
    let sum = FeatureSum()
    let copy = try LocalCopy(
      of: FeedSource(FeedTrials.feed(place)), elements: "features", decode: type, into: container,
      configuration: FeedTrials.configuration
    ) { element -> Quake? in
      sum.add(feature(element))
      return nil
    }
    return Run(reading: {
      _ = try await copy.refresh(force: true)
      return sum.total
    })
  }
}

/// The checksum of the elements that a copy has decoded in the background.
private final class FeatureSum: Sendable {
  private let sum = Mutex(Checksum())

  var total: Checksum { sum.withLock { $0 } }
  func add(_ feature: WantedFeature) { sum.withLock { $0.add(feature) } }
}

extension Checksum {
  fileprivate mutating func add(_ feature: WantedFeature) {
    let properties = feature.properties
    add(feature.id)
    for coordinate in feature.geometry.coordinates { add(coordinate) }
    add(properties.mag)
    add(properties.place)
    add(properties.time)
    add(properties.updated)
    add(properties.felt)
    add(properties.alert)
    add(properties.status)
    add(properties.tsunami)
    add(properties.sig)
    add(properties.magType)
    add(properties.type)
  }
}
