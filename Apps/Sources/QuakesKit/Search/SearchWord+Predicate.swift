import Foundation
import SwiftData
import SwiftDataExtras

extension SearchWord {
  /// The word's condition for the store.
  var condition: Predicate<Quake> {
    var meanings = [Self.isIn(text)]
    for part in texts {
      meanings.append(#Predicate { $0.place?.contains(part) ?? false })
    }
    if let magnitudes {
      let (least, below) = (magnitudes.lowerBound, magnitudes.upperBound)
      meanings.append(
        #Predicate { ($0.magnitude ?? -100) >= least && ($0.magnitude ?? -100) < below })
    }
    if let times {
      let (start, end) = (times.lowerBound, times.upperBound)
      meanings.append(#Predicate { $0.time >= start && $0.time < end })
    }
    return Predicate(any: meanings)
  }

  /// The condition that a text is a part of the place, or of a kind of event other than earthquake.
  static func isIn(_ text: String) -> Predicate<Quake> {
    Predicate(any: [
      #Predicate<Quake> { $0.place?.localizedStandardContains(text) ?? false },
      #Predicate<Quake> {
        $0.type != "earthquake" && $0.type.localizedStandardContains(text)
      },
    ])
  }
}
