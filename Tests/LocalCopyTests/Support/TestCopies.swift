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

/// Creates a folder that exists as long as the test.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "LocalCopyTests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let outcome: Swift.Result<Result, any Error>
  do { outcome = .success(try await body(folder)) } catch { outcome = .failure(error) }
  try FileManager.default.removeItem(at: folder)
  return try outcome.get()
}
