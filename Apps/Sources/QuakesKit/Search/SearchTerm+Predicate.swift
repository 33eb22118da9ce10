import Foundation
import SwiftData
import SwiftDataExtras

extension SearchTerm {
  /// The term's condition for the store; for a circle or a section, one that more events meet.
  var condition: Predicate<Quake> {
    switch meaning {
    // Of what is outside of the circle, a part may be inside of its boxes.
    case .near, .section: isNegated ? Predicate(all: []) : meaning.condition
    default: isNegated ? Predicate(not: meaning.condition) : meaning.condition
    }
  }
}

extension SearchTerm.Meaning {
  fileprivate var condition: Predicate<Quake> {
    switch self {
    case .word(let word): return word.condition
    case .text(let text): return SearchWord.isIn(text)
    case .magnitude(let bounds): return bounds.conditionOfMagnitude
    case .depth(let bounds): return bounds.conditionOfDepth
    case .since(let start): return #Predicate { $0.time >= start }
    case .until(let end): return #Predicate { $0.time < end }
    case .type(let text): return #Predicate { $0.type.localizedStandardContains(text) }
    case .status(let status): return #Predicate { $0.status == status }
    case .id(let id):
      let member = ",\(id),"
      return #Predicate { $0.eventID == id || ($0.aliases?.contains(member) ?? false) }
    case .near(let place): return place.circle.surroundings
    case .box(let box): return box.condition
    case .section(let section): return Predicate(any: section.band.circles.map(\.surroundings))
    }
  }
}

extension EventBox {
  /// The condition that an event is in the box.
  var condition: Predicate<Quake> {
    let (south, west, north, east) = (south, west, north, east)
    guard west <= east else {
      return #Predicate {
        $0.latitude >= south && $0.latitude <= north
          && ($0.longitude >= west || $0.longitude <= east)
      }
    }
    return #Predicate {
      $0.latitude >= south && $0.latitude <= north && $0.longitude >= west
        && $0.longitude <= east
    }
  }
}

extension NearCircle {
  /// The condition that an event is in one of the boxes.
  fileprivate var surroundings: Predicate<Quake> {
    Predicate(
      any: boxes.map { box in
        let (south, north) = (box.latitudes.lowerBound, box.latitudes.upperBound)
        let (west, east) = (box.longitudes.lowerBound, box.longitudes.upperBound)
        return #Predicate<Quake> {
          $0.latitude >= south && $0.latitude <= north && $0.longitude >= west
            && $0.longitude <= east
        }
      })
  }
}

extension SearchTerm.Bounds {
  fileprivate var conditionOfMagnitude: Predicate<Quake> {
    var parts: [Predicate<Quake>] = [#Predicate { $0.magnitude != nil }]
    if let least { parts.append(#Predicate { ($0.magnitude ?? 0) >= least }) }
    if let above { parts.append(#Predicate { ($0.magnitude ?? 0) > above }) }
    if let most { parts.append(#Predicate { ($0.magnitude ?? 0) <= most }) }
    if let below { parts.append(#Predicate { ($0.magnitude ?? 0) < below }) }
    return Predicate(all: parts)
  }

  fileprivate var conditionOfDepth: Predicate<Quake> {
    var parts: [Predicate<Quake>] = [#Predicate { $0.depth != nil }]
    if let least { parts.append(#Predicate { ($0.depth ?? 0) >= least }) }
    if let above { parts.append(#Predicate { ($0.depth ?? 0) > above }) }
    if let most { parts.append(#Predicate { ($0.depth ?? 0) <= most }) }
    if let below { parts.append(#Predicate { ($0.depth ?? 0) < below }) }
    return Predicate(all: parts)
  }
}
