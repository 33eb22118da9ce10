import Foundation
import WireFormats

@testable import LocalCopy

typealias ItemCopy = FeedCopy<Item, MemoryStore>

/// Creates a copy of a feed of items, with a clock and a generator that a test controls.
func makeCopy(
  of source: FeedSource, in store: MemoryStore, clock: any TimeSource = VirtualClock(),
  elements: JSONPath = "items",
  configure: (inout LocalCopyConfiguration) -> Void = { _ in },
  map: @escaping @Sendable (Item) throws -> Item? = { $0 }
) throws -> ItemCopy {
  var configuration = LocalCopyConfiguration()
  configuration.clock = clock
  configuration.makeRandom = { SeededGenerator(seed: 7) }
  configure(&configuration)
  let plan = ImportPlan<Item, Item>(
    elements: elements, limits: configuration.limits, decoding: configuration.decoding,
    batchSize: 4, stagedBytes: configuration.stagedBytes, map: map, accept: configuration.accept)
  return try ItemCopy(of: source, plan: plan, into: store, configuration)
}

/// Returns a document of items with the given values.
func feed(_ values: KeyValuePairs<String, Double?>, extra: String = "") -> String {
  let items = values.map { #"{"id":"\#($0.key)","value":\#($0.value.map { "\($0)" } ?? "null")}"# }
  return #"{"items":[\#(items.joined(separator: ","))]\#(extra)}"#
}
