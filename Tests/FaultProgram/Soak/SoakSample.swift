import Foundation

/// The resources of a process and its files at a point in time.
struct SoakSample: CustomStringConvertible {
  /// The time since the start, in seconds.
  let time: Double
  /// The resident memory that isn't backed by files, in bytes.
  let memory: Double
  let descriptors: Double
  let threads: Double
  /// The total size of the folder's files, in bytes.
  let bytes: Double
  let files: Double

  init(at time: Double, _ folder: URL) throws {
    self.time = time
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    guard let words = line?.split(whereSeparator: \.isWhitespace), words.count == 3,
      let kibibytes = Double(words[1])
    else { throw Finding("/proc/self/status doesn't tell RssAnon") }
    memory = kibibytes * 1_024
    let manager = FileManager.default
    descriptors = Double(try manager.contentsOfDirectory(atPath: "/proc/self/fd").count)
    threads = Double(try manager.contentsOfDirectory(atPath: "/proc/self/task").count)
    var (bytes, files) = (0.0, 0.0)
    let walk = manager.enumerator(at: folder, includingPropertiesForKeys: nil)
    while let file = walk?.nextObject() as? URL {
      // A file may be removed during the count.
      var entry = stat()
      guard lstat(file.path, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else { continue }
      bytes += Double(entry.st_size)
      files += 1
    }
    (self.bytes, self.files) = (bytes, files)
  }

  var description: String {
    "\(Int(time)) s, \(Int(memory / 1_048_576)) MiB, \(Int(descriptors)) descriptors,"
      + " \(Int(threads)) threads, \(Int(bytes / 1_024)) KiB in \(Int(files)) files"
  }
}

/// The growth of a process's resources.
struct SoakSlopes {
  private(set) var findings: [String] = []
  private(set) var text = ""

  private struct Measure: Sendable {
    let name: String
    let value: @Sendable (SoakSample) -> Double
    /// The allowed growth during the evaluated time: a share of the median, or `least` if that is more.
    let share: Double
    let least: Double
    let unit: (name: String, size: Double)
  }

  private static let measures = [
    Measure(
      name: "memory", value: { $0.memory }, share: 0.05, least: 8 * 1_048_576,
      unit: ("MiB", 1_048_576)),
    Measure(
      name: "files' bytes", value: { $0.bytes }, share: 0.05, least: 2 * 1_048_576,
      unit: ("MiB", 1_048_576)),
    Measure(name: "files", value: { $0.files }, share: 0.05, least: 20, unit: ("", 1)),
    Measure(name: "descriptors", value: { $0.descriptors }, share: 0.05, least: 8, unit: ("", 1)),
    Measure(name: "threads", value: { $0.threads }, share: 0.05, least: 8, unit: ("", 1)),
  ]

  /// Evaluates the samples after the first third: until then, caches and the history are still filling.
  init(_ samples: [SoakSample]) {
    let late = Array(samples.dropFirst(samples.count / 3))
    guard let first = late.first, let last = late.last, late.count >= 8 else {
      findings = ["only \(samples.count) samples: the run is too short to tell anything"]
      return
    }
    let minutes = (last.time - first.time) / 60
    var parts: [String] = []
    for measure in Self.measures {
      let points = late.map { ($0.time / 60, measure.value($0)) }
      let slope = Self.slope(points)
      let values = points.map(\.1).sorted()
      let median = values[values.count / 2]
      let growth = slope * minutes
      if growth > max(measure.least, measure.share * median) {
        findings.append(
          "\(measure.name) grew by \(Self.number(growth / measure.unit.size)) \(measure.unit.name)"
            + " in \(Self.number(minutes)) min")
      }
      parts.append(
        "\(measure.name) \(Self.number(median / measure.unit.size)) \(measure.unit.name)"
          + " (\(Self.number(slope / measure.unit.size)) a minute)")
    }
    text = parts.joined(separator: ", ")
  }

  /// Returns the median of the slopes of all pairs (Theil–Sen estimator), which single peaks don't affect.
  private static func slope(_ points: [(Double, Double)]) -> Double {
    var slopes: [Double] = []
    for (index, left) in points.enumerated() {
      for right in points[(index + 1)...] where right.0 > left.0 {
        slopes.append((right.1 - left.1) / (right.0 - left.0))
      }
    }
    slopes.sort()
    return slopes.isEmpty ? 0 : slopes[slopes.count / 2]
  }

  private static func number(_ value: Double) -> String { String(format: "%.2f", value) }
}
