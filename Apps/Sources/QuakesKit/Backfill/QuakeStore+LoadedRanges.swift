import Foundation
import SwiftData
import SwiftDataExtras

extension QuakeStore {
  /// The key of the ranges among the store's metadata, which are committed with the events.
  static let loadedRangesKey = "Quakes.loadedRanges"

  /// Returns the time ranges that back-fills have loaded, oldest first.
  /// - Throws: ``QuakesError`` when the store or its record of them cannot be read.
  public func loadedRanges() throws -> [LoadedRange] {
    do {
      guard let data = try container.storeMetadata(forKey: Self.loadedRangesKey) else { return [] }
      return try JSONDecoder().decode([LoadedRange].self, from: data)
    } catch let error as DecodingError {
      throw QuakesError(
        .storeFailure, location.description,
        reason: "the record of the loaded ranges cannot be read; restore the store from a copy, or"
          + " move it away and load the events again (\(error))")
    } catch {
      throw unreadable(error)
    }
  }

  /// Returns the record of the loaded ranges with a further one.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  func loadedRanges(adding range: LoadedRange) throws -> Data {
    var ranges = try loadedRanges()
    ranges.add(range)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(ranges)
  }

  /// Records a range that has no events.
  ///
  /// On a server, another program's record of the same moment may be lost; that costs loading its range again.
  /// - Throws: ``QuakesError`` when the store cannot be written.
  func recordLoaded(_ range: LoadedRange) throws {
    do {
      let batch = try BatchUpsert<Quake>(container, author: "import")
      try batch.setMetadata(loadedRanges(adding: range), forKey: Self.loadedRangesKey)
      try batch.commit()
    } catch {
      throw Self.failure("cannot be written", location, error)
    }
  }
}
