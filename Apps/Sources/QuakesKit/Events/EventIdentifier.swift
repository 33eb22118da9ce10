/// The identifiers of events, and the text with the other identifiers of the same earthquake: `,a,b,`.
enum EventIdentifier {
  /// The maximum length of an identifier, in bytes: longer ones have no address in the API.
  static let longest = 200

  /// Returns whether an event with this identifier can be requested.
  static func isUsable(_ id: String) -> Bool {
    (1...longest).contains(id.utf8.count)
      && !id.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// Returns the identifiers of `,a,b,` except `id`; empty members occur.
  static func others(in ids: String?, than id: String) -> [String] {
    guard let ids, ids.utf8.dropFirst().dropLast().elementsEqual(id.utf8) == false else {
      return []
    }
    var known: Set<String> = [id]
    return ids.split(separator: ",").map(String.init).filter {
      isUsable($0) && known.insert($0).inserted
    }
  }

  /// Returns identifiers as `,a,b,`; nil when there are none.
  static func text(_ ids: [String]) -> String? {
    ids.isEmpty ? nil : ",\(ids.joined(separator: ",")),"
  }
}
