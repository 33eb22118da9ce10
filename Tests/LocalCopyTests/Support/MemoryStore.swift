import Foundation
import SwiftData
import Synchronization

@testable import LocalCopy

/// A record of a test feed, stored under its identifier.
struct Item: Codable, Sendable, Hashable {
  var id: String
  var value: Double?
}

/// A transactional store in memory: the changes of a session become visible when it commits.
final class MemoryStore: ImportStore {
  typealias Model = Item

  struct Contents: Sendable, Equatable {
    var rows: [String: Item] = [:]
    var metadata: [String: Data] = [:]
  }

  struct Failure: Error {
    let what: String
  }

  private struct State {
    var contents = Contents()
    var isWriting = false
    var commits = 0
    var failure: String?
  }

  private let state = Mutex(State())

  var contents: Contents { state.withLock { $0.contents } }
  var rows: [String: Item] { contents.rows }
  var commits: Int { state.withLock { $0.commits } }
  var isWriting: Bool { state.withLock { $0.isWriting } }

  /// Makes the named operation of sessions fail: `begin`, `upsert`, `commit` or none.
  func fail(_ operation: String?) { state.withLock { $0.failure = operation } }

  func begin() throws -> Session {
    try check("begin")
    return try state.withLock { state in
      guard !state.isWriting else { throw Failure(what: "two writers") }
      state.isWriting = true
      return Session(self, state.contents)
    }
  }

  func metadata(forKey key: String) throws -> Data? {
    try check("metadata")
    return contents.metadata[key]
  }

  func setMetadata(_ value: Data?, forKey key: String) {
    state.withLock { $0.contents.metadata[key] = value }
  }

  private func check(_ operation: String) throws {
    if state.withLock({ $0.failure }) == operation { throw Failure(what: operation) }
  }

  final class Session: ImportSession {
    private let store: MemoryStore
    private var contents: Contents
    private var isOpen = true

    init(_ store: MemoryStore, _ contents: Contents) {
      self.store = store
      self.contents = contents
    }

    deinit { rollback() }

    func upsert(_ model: Item) throws -> [WriteOutcome] {
      try store.check("upsert")
      if model.id.isEmpty { throw ImportRefusal(reason: "no key") }
      let old = contents.rows.updateValue(model, forKey: model.id)
      return [old == nil ? .inserted(0) : old == model ? .unchanged(0) : .updated(0)]
    }

    func finish() -> [WriteOutcome] { [] }

    func setMetadata(_ value: Data?, forKey key: String) { contents.metadata[key] = value }

    func commit() throws {
      try store.check("commit")
      isOpen = false
      store.state.withLock { state in
        state.contents = contents
        state.isWriting = false
        state.commits += 1
      }
    }

    func rollback() {
      guard isOpen else { return }
      isOpen = false
      store.state.withLock { $0.isWriting = false }
    }
  }
}
