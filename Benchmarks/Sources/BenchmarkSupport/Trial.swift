import Foundation

/// One implementation of a workload.
public struct Trial: Sendable {
  /// The name of the prepared store that a run starts with; nil for an empty folder.
  public let dataset: String?
  /// Does the work that isn't measured, such as opening stores and creating input, and returns the
  /// run to measure.
  public let begin: @Sendable (Place) async throws -> Run

  public init(_ dataset: String?, begin: @escaping @Sendable (Place) async throws -> Run) {
    self.dataset = dataset
    self.begin = begin
  }
}

/// The measured work, and the checksum that is read afterwards to verify that the work was done.
public struct Run {
  public let work: () async throws -> Void
  public let checksum: () throws -> UInt64

  public init(work: @escaping () async throws -> Void, checksum: @escaping () throws -> UInt64) {
    self.work = work
    self.checksum = checksum
  }

  /// Work whose result is the checksum.
  public init(reading work: @escaping () async throws -> Checksum) {
    var found = Checksum()
    self.work = { found = try await work() }
    checksum = { found.value }
  }
}

/// The location and the size of a run.
public struct Place: Sendable {
  /// The folder with the store's files, used by this run alone.
  public let folder: URL
  /// The size of the workload.
  public let rows: Int
  /// The number of look-ups by key.
  public let lookups: Int

  public init(folder: URL, rows: Int, lookups: Int = Self.lookups) {
    self.folder = folder
    self.rows = rows
    self.lookups = lookups
  }

  /// The number of look-ups that the workloads have otherwise.
  public static let lookups = 10_000

  /// The store's file.
  public var file: URL { folder.appending(path: "bench.store") }
}

/// A failure with a clear message for the program's user.
public struct BenchmarkFailure: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
