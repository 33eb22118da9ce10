import Foundation

/// One implementation of a workload.
public struct Trial: Sendable {
  /// The name of the prepared store that a run begins with; nil for an empty folder.
  public let dataset: String?
  /// Does what isn't measured: opens stores, makes input. Gives what is.
  public let begin: @Sendable (Place) async throws -> Run

  public init(_ dataset: String?, begin: @escaping @Sendable (Place) async throws -> Run) {
    self.dataset = dataset
    self.begin = begin
  }
}

/// What is measured, and what is looked at afterwards to see that the work was done.
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

/// Where a run takes place.
public struct Place: Sendable {
  /// The folder with the store's files, for this run alone.
  public let folder: URL
  /// The size of the workload.
  public let rows: Int

  public init(folder: URL, rows: Int) {
    self.folder = folder
    self.rows = rows
  }

  /// The store's file.
  public var file: URL { folder.appending(path: "bench.store") }
}

/// A clear message and a status for a program's user.
public struct BenchmarkFailure: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
