import WireFormats

/// The file with the lines of equal intensity of a ShakeMap: GeoJSON features of lines, with the intensity as `value`.
/// Source: https://ghsc.code-pages.usgs.gov/esi/shakemap/manual4_0/ug_products.html
enum ContoursDocument {
  /// The maximum number of intensities, of lines and of points that are kept.
  static let maximumLevels = 40
  static let maximumLines = 1_000
  static let maximumPoints = 4_000
  /// The maximum number of points that are read. Five megabytes have about 250,000.
  private static let maximumRead = 1_000_000

  /// Reads a file, and simplifies its lines.
  /// - Returns: The lines by intensity, weakest first.
  /// - Throws: `JSONError`, and ``DetailDocument/Refusal`` when it is no collection of features.
  static func read(_ bytes: [UInt8]) throws -> [EventDetails.Contour] {
    var lines: [Double: [[EventDetails.Point]]] = [:]
    var count = (lines: 0, points: 0)
    var hasFeatures = false
    try JSONReader.read(bytes) { reader in
      try reader.members { reader, name in
        guard name == "features", try reader.kind() == .array else {
          return try reader.skipValue()
        }
        hasFeatures = true
        try reader.array { reader in
          guard let feature = try feature(&reader) else { return }
          guard lines[feature.intensity] != nil || lines.count < maximumLevels else { return }
          for line in feature.lines {
            guard count.lines < maximumLines, count.points + line.count <= maximumRead else {
              return
            }
            count.lines += 1
            count.points += line.count
            lines[feature.intensity, default: []].append(line)
          }
        }
      }
    }
    guard hasFeatures else {
      throw DetailDocument.Refusal(reason: "it is no collection of contours")
    }
    let contours = lines.map { EventDetails.Contour(intensity: $0.key, lines: $0.value) }
      .sorted { $0.intensity < $1.intensity }
    return simplified(contours)
  }

  // MARK: Reading

  private static func feature(_ reader: inout JSONReader) throws -> EventDetails.Contour? {
    var intensity: Double?
    var lines: [[EventDetails.Point]] = []
    try reader.members { reader, name in
      switch name {
      case "properties":
        try reader.members { reader, name in
          guard name == "value" else { return try reader.skipValue() }
          intensity = try reader.finiteNumber()
        }
      case "geometry":
        try reader.members { reader, name in
          guard name == "coordinates" else { return try reader.skipValue() }
          lines = try coordinates(&reader)
        }
      default: try reader.skipValue()
      }
    }
    guard let intensity, (0...12).contains(intensity) else { return nil }
    return .init(
      intensity: (intensity * 10).rounded() / 10, lines: lines.filter { $0.count > 1 })
  }

  /// Reads the coordinates of a line, or of several.
  private static func coordinates(_ reader: inout JSONReader) throws -> [[EventDetails.Point]] {
    var several: [[EventDetails.Point]] = []
    var single: [EventDetails.Point] = []
    try reader.elements { reader in
      var line: [EventDetails.Point] = []
      var numbers: [Double] = []
      try reader.elements { reader in
        switch try reader.kind() {
        case .array:
          if let point = try point(&reader) { line.append(point) }
        default:
          if let number = try reader.finiteNumber(), numbers.count < 2 { numbers.append(number) }
        }
      }
      if let point = point(numbers) { single.append(point) }
      if !line.isEmpty { several.append(line) }
    }
    if !single.isEmpty { several.append(single) }
    return several
  }

  private static func point(_ reader: inout JSONReader) throws -> EventDetails.Point? {
    var numbers: [Double] = []
    try reader.array { reader in
      // A third number is a height.
      guard numbers.count < 2 else { return try reader.skipValue() }
      if let number = try reader.finiteNumber() { numbers.append(number) }
    }
    return point(numbers)
  }

  /// Lines over the 180th meridian go on beyond it.
  private static func point(_ numbers: [Double]) -> EventDetails.Point? {
    guard numbers.count == 2, abs(numbers[0]) <= 360, abs(numbers[1]) <= 90 else { return nil }
    return .init(longitude: numbers[0], latitude: numbers[1])
  }

  // MARK: Simplifying

  /// Returns the lines with fewer points, each of which is rounded to a ten-thousandth of a degree, about 10 m. Points
  /// that are nearer than a distance to the last one are left out, and the distance grows until few enough are left:
  /// other than a search for the best points, this takes the same time for any line.
  private static func simplified(_ contours: [EventDetails.Contour]) -> [EventDetails.Contour] {
    var contours = contours
    var distance = 0.002
    func points() -> Int {
      contours.reduce(0) { $0 + $1.lines.reduce(0) { $0 + $1.count } }
    }
    for index in contours.indices {
      contours[index].lines = contours[index].lines.map(rounded)
    }
    // From 0.002° on, 18 times the double are 524°.
    for _ in 0..<18 where points() > maximumPoints {
      for index in contours.indices {
        contours[index].lines = contours[index].lines.map { thinned($0, distance) }
      }
      distance *= 2
    }
    // A great number of lines of two points.
    var left = maximumPoints
    for index in contours.indices {
      contours[index].lines = contours[index].lines.filter { line in
        left -= line.count
        return left >= 0
      }
    }
    return contours.filter { !$0.lines.isEmpty }
  }

  private static func rounded(_ line: [EventDetails.Point]) -> [EventDetails.Point] {
    line.map {
      .init(
        longitude: ($0.longitude * 10_000).rounded() / 10_000,
        latitude: ($0.latitude * 10_000).rounded() / 10_000)
    }
  }

  private static func thinned(
    _ line: [EventDetails.Point], _ distance: Double
  ) -> [EventDetails.Point] {
    guard line.count > 2, let first = line.first, let last = line.last else { return line }
    var kept = [first]
    var previous = first
    for point in line.dropFirst().dropLast() {
      let (x, y) = (point.longitude - previous.longitude, point.latitude - previous.latitude)
      guard x * x + y * y >= distance * distance else { continue }
      kept.append(point)
      previous = point
    }
    kept.append(last)
    return kept
  }
}
