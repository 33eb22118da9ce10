import SwiftDataSync

/// Records the users' changes of list elements, to determine the elements that must exist at the
/// end and those that must not.
struct SimulatedLinks {
  struct Link: Hashable, CustomStringConvertible {
    let owner: SyncObjectID
    let property: String
    /// An object of the list's destination class or of its family.
    let element: SyncObjectID
    var description: String { "\(element) in \(property) of \(owner)" }

    func isIn(_ objects: [SyncObjectID: SyncValues]) -> Bool {
      guard case .list(let elements) = objects[owner]?[property] else { return false }
      return elements.contains(.text(element.key))
    }
  }

  private var added: [Link: Int] = [:]
  private var removed: Set<Link> = []

  mutating func noteAdded(_ link: Link) { added[link, default: 0] += 1 }
  mutating func noteRemoved(_ link: Link) { removed.insert(link) }

  private func isWhole(_ link: Link, _ deleted: Set<SyncObjectID>) -> Bool {
    let elements = Simulation.candidates(link.element.entity, link.element.key)
    return !deleted.contains(link.owner) && deleted.isDisjoint(with: elements)
  }

  /// Returns elements that were added, never removed, and are missing.
  func lost(in objects: [SyncObjectID: SyncValues], deleted: Set<SyncObjectID>) -> [Link] {
    added.keys.filter { !removed.contains($0) && isWhole($0, deleted) && !$0.isIn(objects) }
  }

  /// Returns elements that were added once, removed by a user who saw them, and are there again.
  func returned(in objects: [SyncObjectID: SyncValues], deleted: Set<SyncObjectID>) -> [Link] {
    removed.filter { added[$0] == 1 && isWhole($0, deleted) && $0.isIn(objects) }
  }
}
