import WireFormats

/// A detail document: the values of its preferred products, and the addresses of their files.
///
/// An event has products of several kinds, of each kind several from different networks. The one with the greatest
/// `preferredWeight` counts, of equal ones the latest.
/// Source: https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson_detail.php
struct DetailDocument {
  /// The document cannot be used.
  struct Refusal: Error {
    var reason: String
  }

  /// The maximum number of products of a kind that are looked at.
  private static let maximumProducts = 200
  /// The maximum length of a property that is kept, in bytes.
  private static let longestText = 200
  /// The maximum length of an address, in bytes.
  private static let longestAddress = 2_000

  /// The values, without the parts in files of their own.
  private(set) var details = EventDetails()
  /// The addresses of the files, as sent.
  private(set) var files: [EventDetails.Part: String] = [:]

  /// Reads a document.
  /// - Parameters:
  ///   - bytes: The document.
  ///   - identifiers: The identifiers of the event, of which the document must have one.
  /// - Throws: ``Refusal`` or `JSONError`.
  init(_ bytes: [UInt8], of identifiers: Set<String>) throws {
    var products: [String: Product] = [:]
    var hasProducts = false
    var found: Set<String> = []
    try JSONReader.read(bytes) { reader in
      guard try reader.kind() == .object else { throw Refusal(reason: "it is no GeoJSON feature") }
      try reader.object { reader, name in
        switch name {
        case "id":
          if let id = try reader.text(upTo: EventIdentifier.longest) { found.insert(id) }
        case "properties":
          try reader.members { reader, name in
            switch name {
            case "ids":
              let ids = try reader.text(upTo: 100 * EventIdentifier.longest) ?? ""
              found.formUnion(ids.split(separator: ",").map(String.init))
            case "products":
              hasProducts = try reader.kind() == .object
              try Self.read(&products, &reader)
            default: try reader.skipValue()
            }
          }
        default: try reader.skipValue()
        }
      }
    }
    guard hasProducts else {
      throw Refusal(reason: "it has no products, so it is no detail document")
    }
    guard !found.isDisjoint(with: identifiers) else {
      throw Refusal(reason: "it is about another event")
    }
    take(products)
  }

  // MARK: Products

  private struct Product {
    var weight = -Double.infinity
    var updated = -Double.infinity
    var source: String?
    var properties: [String: String] = [:]
    var files: [String: String] = [:]
    var isDeleted = false

    func isPreferred(to other: Product) -> Bool {
      (weight, updated) > (other.weight, other.updated)
    }

    func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
      properties[name].flatMap(JSONReader.number).flatMap { range.contains($0) ? $0 : nil }
    }

    /// A word of letters, digits and hyphens.
    func word(_ name: String) -> String? {
      properties[name].flatMap { DetailDocument.word($0) }
    }
  }

  /// The files that are loaded, by the kind of product; the first that exists counts.
  private static let paths: [String: [String]] = [
    "shakemap": ["download/cont_mmi.json", "download/cont_mi.json"],
    "nearby-cities": ["nearby-cities.json"],
  ]
  private static let kinds: Set<String> = [
    "shakemap", "dyfi", "losspager", "moment-tensor", "focal-mechanism", "nearby-cities",
  ]

  private static func read(_ products: inout [String: Product], _ reader: inout JSONReader) throws {
    try reader.members { reader, kind in
      guard kinds.contains(kind) else { return try reader.skipValue() }
      var count = 0
      try reader.elements { reader in
        count += 1
        guard count <= maximumProducts else { return try reader.skipValue() }
        let product = try product(kind, &reader)
        guard !product.isDeleted else { return }
        if products[kind].map({ product.isPreferred(to: $0) }) ?? true { products[kind] = product }
      }
    }
  }

  private static func product(_ kind: String, _ reader: inout JSONReader) throws -> Product {
    var product = Product()
    try reader.members { reader, name in
      switch name {
      case "preferredWeight": product.weight = try reader.finiteNumber() ?? product.weight
      case "updateTime": product.updated = try reader.finiteNumber() ?? product.updated
      case "status":
        product.isDeleted = try reader.text(upTo: longestText)?.uppercased() == "DELETE"
      case "source": product.source = try reader.text(upTo: longestText).flatMap(word)
      case "properties":
        try reader.members { reader, name in
          guard wanted.contains(name) else { return try reader.skipValue() }
          product.properties[name] = try reader.text(upTo: longestText)
        }
      case "contents":
        let paths = paths[kind] ?? []
        try reader.members { reader, path in
          guard paths.contains(path) else { return try reader.skipValue() }
          try reader.members { reader, name in
            guard name == "url" else { return try reader.skipValue() }
            product.files[path] = try reader.text(upTo: longestAddress)
          }
        }
      default: try reader.skipValue()
      }
    }
    return product
  }

  private static let wanted: Set<String> = [
    "maxmmi", "num-responses", "numResp", "alertlevel", "tensor-mrr", "tensor-mtt", "tensor-mpp",
    "tensor-mrt", "tensor-mrp", "tensor-mtp", "nodal-plane-1-strike", "nodal-plane-1-dip",
    "nodal-plane-1-rake", "nodal-plane-2-strike", "nodal-plane-2-dip", "nodal-plane-2-rake",
    "nodal-plane-1-slip", "nodal-plane-2-slip", "scalar-moment", "derived-magnitude",
    "derived-magnitude-type", "percent-double-couple",
  ]

  // MARK: Values

  /// The range of the modified Mercalli scale, with 0 for no effect.
  private static let intensities = 0.0...12.0

  private mutating func take(_ products: [String: Product]) {
    if let felt = products["dyfi"] {
      let count =
        felt.number("num-responses", in: 0...1e9) ?? felt.number("numResp", in: 0...1e9)
      let intensity = felt.number("maxmmi", in: Self.intensities)
      if count != nil || intensity != nil {
        details.felt = .init(responses: count.map { Int($0) }, intensity: intensity)
      }
    }
    details.shaking = products["shakemap"]?.number("maxmmi", in: Self.intensities)
    if let losses = products["losspager"],
      let level = losses.properties["alertlevel"].flatMap({
        EventDetails.Alert.Level(rawValue: $0.lowercased())
      })
    {
      details.alert = .init(level: level, intensity: losses.number("maxmmi", in: Self.intensities))
    }
    details.mechanism =
      products["moment-tensor"].flatMap { Self.mechanism(.momentTensor, $0) }
      ?? products["focal-mechanism"].flatMap { Self.mechanism(.focalMechanism, $0) }
    files[.contours] = Self.file("shakemap", products)
    files[.towns] = Self.file("nearby-cities", products)
  }

  private static func file(_ kind: String, _ products: [String: Product]) -> String? {
    paths[kind]?.lazy.compactMap { products[kind]?.files[$0] }.first
  }

  private static func mechanism(
    _ kind: EventDetails.Mechanism.Kind, _ product: Product
  ) -> EventDetails.Mechanism? {
    var mechanism = EventDetails.Mechanism(kind: kind, source: product.source)
    mechanism.tensor = tensor(product)
    mechanism.planes = [1, 2].compactMap { plane($0, product) }
    guard mechanism.tensor != nil || !mechanism.planes.isEmpty else { return nil }
    // The greatest earthquake ever measured had 2e23 N·m.
    mechanism.moment = product.number("scalar-moment", in: 1...1e26)
    mechanism.magnitude = product.number("derived-magnitude", in: -10...12)
    mechanism.magnitudeType = product.word("derived-magnitude-type")
    if let share = product.number("percent-double-couple", in: 0...100) {
      // Networks write a share, some a percentage.
      mechanism.doubleCouple = share <= 1 ? share : share / 100
    }
    return mechanism
  }

  private static func tensor(_ product: Product) -> EventDetails.Tensor? {
    let parts = ["mrr", "mtt", "mpp", "mrt", "mrp", "mtp"].compactMap {
      product.number("tensor-" + $0, in: -1e26...1e26)
    }
    guard parts.count == 6, parts.contains(where: { abs($0) >= 1 }) else { return nil }
    return .init(
      rr: parts[0], tt: parts[1], pp: parts[2], rt: parts[3], rp: parts[4], tp: parts[5])
  }

  private static func plane(_ number: Int, _ product: Product) -> EventDetails.Plane? {
    let name = "nodal-plane-\(number)-"
    guard let strike = product.number(name + "strike", in: -360...360),
      let dip = product.number(name + "dip", in: 0...90),
      let rake = product.number(name + "rake", in: -360...360)
        ?? product.number(name + "slip", in: -360...360)
    else { return nil }
    let turned = strike < 0 ? strike + 360 : strike
    let slip = rake > 180 ? rake - 360 : rake < -180 ? rake + 360 : rake
    return .init(strike: turned == 360 ? 0 : turned, dip: dip, rake: slip)
  }

  /// Returns a text if it is a word of letters, digits, hyphens and underscores, of at most 20 bytes.
  static func word(_ text: String) -> String? {
    let isWord = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isWord && (1...20).contains(text.utf8.count) ? text : nil
  }
}
