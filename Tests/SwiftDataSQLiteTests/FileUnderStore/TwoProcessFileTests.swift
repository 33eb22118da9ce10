import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

/// Every event on the file, caused by this process or another one, between the openings and the saves of both
/// processes.
@Suite("The file under a store that two processes have open", .timeLimit(.minutes(20)))
@MainActor
struct TwoProcessFileTests {
  @Test(
    "each save that returns is in the file that a new container opens, or throws a typed error",
    .serialized, arguments: [FileWriter.plainContext, .modelActor, .batchInsert])
  func everyEvent(writer: FileWriter) async throws {
    let folder = try TemporaryStore()
    let (own, other) = (OwnPeer(), try OtherPeer(folder.folder))
    async let process: Void = Self.serve(other)
    do {
      for (number, event) in FileEvent.allCases.enumerated() {
        // The process that causes the event saves first in one round and last in the other.
        let isFirst = number.isMultiple(of: 2)
        try await Self.run(event, writer, own, other, isFirst: isFirst)
        try await Self.run(event, writer, other, own, isFirst: !isFirst)
      }
    } catch {
      Issue.record(error)
    }
    try other.dismiss()
    try await process
    withExtendedLifetime(folder) {}
  }

  private static func serve(_ peer: OtherPeer) async throws {
    await #expect(processExitsWith: .success) { [path = peer.path as String] in
      try await OtherPeer.serve(path)
    }
    try peer.end()
  }

  /// - Parameters:
  ///   - cause: The process that causes the event.
  ///   - isFirst: Whether that process saves first, and closes first.
  private static func run(
    _ event: FileEvent, _ writer: FileWriter, _ cause: any StorePeer, _ other: any StorePeer,
    isFirst: Bool
  ) async throws {
    let place = try ParcelPlace(isLinked: event.isLinked)
    let round = Comment(rawValue: "\(event.rawValue) × \(writer.rawValue), first: \(isFirst)")
    func expectDone(_ peer: any StorePeer, _ command: PeerCommand) async throws {
      let answer = try await peer.ask(command)
      try #require(answer == .done, round)
    }
    let all: [(String, any StorePeer)] = [("cause", cause), ("other", other)]
    for (name, peer) in all {
      try await expectDone(
        peer, .open(folder: place.outside.folder.path, isLinked: event.isLinked))
      if name == "cause" { try await expectDone(peer, .fill) }
      try await expectDone(peer, .begin(writer, name: name))
    }
    try await expectDone(cause, .happen(event))
    var stored: [String] = []
    for (name, peer) in isFirst ? all : all.reversed() {
      switch try await peer.ask(.end) {
      case .done:
        stored.append(name)
        #expect(event.answer != .throwsError, round)
      case .refused(let error): #expect(event.answer != .stores, "\(round): \(error)")
      case .failed(let error): Issue.record("\(round): \(error)")
      }
    }
    try event.settle(place)
    try expect(stored, writer, in: place, event, round, isOpen: true)
    for (_, peer) in all {
      // Rows or an error of the framework. Read twice, because the first failure may close a connection.
      for _ in 0..<2 {
        if case .failed(let error) = try await peer.ask(.read) {
          Issue.record("\(round): \(error)")
        }
      }
    }
    for (_, peer) in isFirst ? all : all.reversed() { try await expectDone(peer, .close) }
    try expect(stored, writer, in: place, event, round, isOpen: false)
  }

  /// Checks that a new container has the saved data; if nothing was saved, the file may be damaged.
  ///
  /// - Parameter isOpen: Whether other processes have the store open. Then it may be locked for a long time, and the
  ///   log may be missing.
  private static func expect(
    _ stored: [String], _ writer: FileWriter, in place: ParcelPlace, _ event: FileEvent,
    _ round: Comment, isOpen: Bool
  ) throws {
    // Parcels whose values were removed can't be read.
    guard event != .valuesRemoved, !stored.isEmpty || !isOpen else { return }
    do {
      let container = try place.container()
      for name in stored {
        #expect(try writer.isStored(in: container, name: name), "\(round): \(name)")
      }
    } catch let error as StoreError where stored.isEmpty {
      #expect([.damaged, .foreignFile, .cannotOpen].contains(error.code), "\(round): \(error)")
    }
  }
}
