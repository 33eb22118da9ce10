import Foundation
import SwiftDataSync

/// The edits of a replica's user.
extension SimulatedReplica {
  func edit() throws {
    number += 1
    simulation.note("edits")
    if simulation.random.chance(0.3) {
      editSight()
      return try edited()
    }
    let key = "\(index)-\(number)"
    let roll = Int.random(in: 0..<100, using: &simulation.random)
    let objects = store.objects
    switch roll {
    case 0..<20:
      // A pair is one save, of a parent and its child or of two unrelated objects.
      let entity = ["Note", "Note", "Place", "Hut"].randomElement(using: &simulation.random) ?? ""
      let (first, visit) = (SyncObjectID(entity, "p" + key), SyncObjectID("Visit", "p" + key))
      ownPairs.append((first, visit))
      keptObjects.formUnion([first, visit])
      let parent: SyncValue = entity == "Note" ? .null : .text(first.key)
      store.save([
        first: new(["pair": .text(key), "generation": .integer(0)], entity),
        visit: new(
          ["pair": .text(key), "generation": .integer(0), "place": parent], "Visit"),
      ])
    case 20..<35:
      guard let (place, visit) = ownPairs.randomElement(using: &simulation.random),
        var one = objects[place], var other = objects[visit]
      else { return }
      one["generation"] = .integer(number)
      other["generation"] = .integer(number)
      store.save([place: one, visit: other])
    case 35..<50:
      let entity = ["Note", "Snap", "Place", "Hut"].randomElement(using: &simulation.random) ?? ""
      let object = SyncObjectID(entity, key)
      var values = new([:], object.entity)
      if entity == "Hut" { simulation.note("huts") }
      // If a half of a pair had a photo, it might have to wait for the photo's bytes.
      if entity == "Snap" {
        values["photo"] = photo()
        ownPhotos[object] = values["photo"]
      }
      if simulation.random.chance(0.2) { values["bad"] = .boolean(true) }
      store.save([object: values])
    case 50..<60:
      let places = objects.keys.filter { Simulation.isA("Place", $0) }.sorted()
      guard let place = places.randomElement(using: &simulation.random) else { return }
      let visit = SyncObjectID("Visit", key)
      store.save([visit: new(["place": .text(place.key)], "Visit")])
    case 60..<80: try change(objects)
    case 80..<92: try relate(objects)
    default: try delete(objects)
    }
    try edited()
  }

  private func edited() throws {
    // Not every engine is notified of every edit; marks are for those that are.
    if simulation.random.chance(0.5) {
      do { try ledger?.markEdits() } catch is Killed { return kill() }
    }
    try tell(.edited)
  }

  private func photo() -> SyncValue {
    guard simulation.random.chance(0.8) else { return .null }
    simulation.note("photos")
    return SimulatedPhotos.all.randomElement(using: &simulation.random)?.attachment.value ?? .null
  }

  /// Imports or removes a row, or lets the user annotate one.
  private func editSight() {
    let object = SyncObjectID("Sight", "\(Int.random(in: 0..<5, using: &simulation.random))")
    guard var values = store.sights[object] else {
      return store.setSight(object, isThere: true)
    }
    switch Int.random(in: 0..<10, using: &simulation.random) {
    case 0, 1:
      // An edit that the engine hasn't processed is lost with the row.
      ownSights[object] = nil
      removedSights.insert(object)
      return store.setSight(object, isThere: false)
    case 2, 3: values["shared"] = .text("\(index) \(number)")
    case 4:
      values["shared"] = .null
      values["own\(index)"] = .null
      values["updated"] = .null
    default: values["own\(index)"] = .integer(number)
    }
    if values != Simulation.sightDefaults, simulation.random.chance(0.5) {
      values["updated"] = .real(clock.timeIntervalSinceReferenceDate)
    }
    if !removedSights.contains(object) { ownSights[object] = values["own\(index)"] }
    store.save([object: values])
  }

  func new(_ given: SyncValues, _ entity: String) -> SyncValues {
    var values = Simulation.complete(given, of: entity) ?? [:]
    values["updated"] = .real(clock.timeIntervalSinceReferenceDate)
    return values
  }

  private func change(_ objects: [SyncObjectID: SyncValues]) throws {
    let single = objects.filter { $0.value["pair"] == .null }.keys.sorted()
    guard let object = single.randomElement(using: &simulation.random),
      var values = objects[object]
    else { return }
    values["updated"] = .real(clock.timeIntervalSinceReferenceDate)
    let badge = SyncValue.text("badge \(Int.random(in: 0..<4, using: &simulation.random))")
    if ownPhotos[object] != nil, simulation.random.chance(0.6) {
      values["photo"] = photo()
      ownPhotos[object] = values["photo"]
    } else if object.entity == "Hut", simulation.random.chance(0.3) {
      values["beds"] = .integer(number)
    } else if Simulation.isA("Place", object), simulation.random.chance(0.5) {
      let isTaken = objects.values.contains { $0["badge"] == badge }
      values["badge"] = isTaken ? .null : badge
    } else if simulation.random.chance(0.5) {
      values["shared"] = .text("\(index) \(number)")
    } else {
      values["own\(index)"] = .integer(number)
      ownValues[object] = number
    }
    if values["bad"] == .boolean(true), simulation.random.chance(0.5) { values["bad"] = .null }
    store.save([object: values])
  }

  /// Adds, removes or moves an element of a list.
  private func relate(_ objects: [SyncObjectID: SyncValues]) throws {
    let names = objects.keys.sorted()
    // If a half of a pair had such an element, it might have to wait.
    let owners = names.filter { objects[$0]?["pair"] == .null }
    guard let owner = owners.randomElement(using: &simulation.random),
      let (property, list) = Simulation.lists[owner.entity]?.first,
      var values = objects[owner],
      case .list(var elements) = values[property]
    else { return }
    let others = names.filter { Simulation.isA(list.destination, $0) }
    func link(_ key: String) -> SimulatedLinks.Link {
      .init(owner: owner, property: property, element: SyncObjectID(list.destination, key))
    }
    if simulation.random.chance(0.65) {
      guard let other = others.randomElement(using: &simulation.random),
        !elements.contains(.text(other.key))
      else { return }
      elements.insert(
        .text(other.key), at: Int.random(in: 0...elements.count, using: &simulation.random))
      simulation.links.noteAdded(link(other.key))
    } else if let element = elements.randomElement(using: &simulation.random) {
      elements.removeAll { $0 == element }
      if list.isOrdered, simulation.random.chance(0.5) {
        elements.insert(element, at: 0)
      } else {
        simulation.links.noteRemoved(link(element.text ?? ""))
      }
    }
    values[property] = ListMerge.canonical(.list(elements), isOrdered: list.isOrdered)
    store.save([owner: values])
  }

  private func delete(_ objects: [SyncObjectID: SyncValues]) throws {
    let single = objects.filter { $0.value["pair"] == .null }.keys.sorted()
    guard let object = single.randomElement(using: &simulation.random) else { return }
    let isVisited = objects.values.contains { $0["place"] == .text(object.key) }
    if Simulation.isA("Place", object), isVisited { return }
    simulation.deleted.insert(object)
    store.save([object: SyncValues?.none])
  }
}
