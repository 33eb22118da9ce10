import Foundation
import SwiftData
import SwiftDataExtras

extension SearchTerm {
  /// The term's condition for the store; for a circle, one that more events meet.
  var condition: Predicate<Quake> {
    switch meaning {
    case .word(let word): isNegated ? word.complement : word.condition
    case .text(let text): isNegated ? SearchWord.isNotIn(text) : SearchWord.isIn(text)
    case .magnitude(let bounds):
      isNegated
        ? Predicate(any: bounds.conditions(ofMagnitude: false))
        : Predicate(all: bounds.conditions(ofMagnitude: true))
    case .depth(let bounds):
      isNegated
        ? Predicate(any: bounds.conditions(ofDepth: false))
        : Predicate(all: bounds.conditions(ofDepth: true))
    case .since(let start):
      isNegated ? #Predicate { $0.time < start } : #Predicate { $0.time >= start }
    case .until(let end):
      isNegated ? #Predicate { $0.time >= end } : #Predicate { $0.time < end }
    case .type(let text):
      isNegated
        ? #Predicate { !$0.type.localizedStandardContains(text) }
        : #Predicate { $0.type.localizedStandardContains(text) }
    case .status(let status):
      isNegated
        ? #Predicate { ($0.status ?? "") != status } : #Predicate { $0.status == status }
    case .id(let id): Self.condition(id: id, !isNegated)
    case .near(let place): isNegated ? Predicate(all: []) : place.circle.surroundings
    }
  }

  private static func condition(id: String, _ isPositive: Bool) -> Predicate<Quake> {
    let member = ",\(id),"
    return isPositive
      ? #Predicate { $0.eventID == id || ($0.aliases?.contains(member) ?? false) }
      : #Predicate { $0.eventID != id && !($0.aliases?.contains(member) ?? false) }
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
  /// The conditions of the limits, or of what is outside of them.
  fileprivate func conditions(ofMagnitude isInside: Bool) -> [Predicate<Quake>] {
    var parts: [Predicate<Quake>] = [
      isInside ? #Predicate { $0.magnitude != nil } : #Predicate { $0.magnitude == nil }
    ]
    if let least {
      parts.append(
        isInside
          ? #Predicate { ($0.magnitude ?? 0) >= least } : #Predicate { ($0.magnitude ?? 0) < least }
      )
    }
    if let above {
      parts.append(
        isInside
          ? #Predicate { ($0.magnitude ?? 0) > above } : #Predicate { ($0.magnitude ?? 0) <= above }
      )
    }
    if let most {
      parts.append(
        isInside
          ? #Predicate { ($0.magnitude ?? 0) <= most } : #Predicate { ($0.magnitude ?? 0) > most })
    }
    if let below {
      parts.append(
        isInside
          ? #Predicate { ($0.magnitude ?? 0) < below } : #Predicate { ($0.magnitude ?? 0) >= below }
      )
    }
    return parts
  }

  fileprivate func conditions(ofDepth isInside: Bool) -> [Predicate<Quake>] {
    var parts: [Predicate<Quake>] = [
      isInside ? #Predicate { $0.depth != nil } : #Predicate { $0.depth == nil }
    ]
    if let least {
      parts.append(
        isInside ? #Predicate { ($0.depth ?? 0) >= least } : #Predicate { ($0.depth ?? 0) < least })
    }
    if let above {
      parts.append(
        isInside ? #Predicate { ($0.depth ?? 0) > above } : #Predicate { ($0.depth ?? 0) <= above })
    }
    if let most {
      parts.append(
        isInside ? #Predicate { ($0.depth ?? 0) <= most } : #Predicate { ($0.depth ?? 0) > most })
    }
    if let below {
      parts.append(
        isInside ? #Predicate { ($0.depth ?? 0) < below } : #Predicate { ($0.depth ?? 0) >= below })
    }
    return parts
  }
}
