import CFaultVFS
import Foundation

/// The options of the program.
struct Options {
  let command: String
  private(set) var workloads: [any Workload] = Workloads.all
  private(set) var seeds = 1...100
  private(set) var synchronous = FAULT_SYNCHRONOUS_AS_SAID
  private(set) var lies = false
  private(set) var kinds = CallKind.all
  private(set) var errors: [Int32] = [EIO, ENOSPC]
  private(set) var call: Int?
  private(set) var times = 1
  private(set) var stride = 1
  private(set) var processes = 8
  private(set) var saves = 1_000
  private(set) var targets = FuzzTargets.all
  private(set) var count = 100_000
  private(set) var seconds: Int?
  private(set) var input: Int?
  /// The parts of a soak test.
  private(set) var parts = SoakParts.names
  private(set) var jobs = sysconf(Int32(_SC_NPROCESSORS_ONLN))
  private(set) var folder = FileManager.default.temporaryDirectory
  private(set) var keeps = false
  /// Whether simulated devices have real stores.
  private(set) var hasStores = false

  init(_ arguments: [String]) throws {
    command = arguments.first ?? ""
    var rest = arguments.dropFirst()
    while let option = rest.popFirst() {
      if option == "--lies" {
        lies = true
      } else if option == "--keep" {
        keeps = true
      } else if option == "--stores" {
        hasStores = true
      } else {
        guard let value = rest.popFirst() else { throw Finding("\(option) needs a value") }
        try set(option, value)
      }
    }
  }

  private mutating func set(_ option: String, _ value: String) throws {
    switch option {
    case "--workload":
      workloads = try value.split(separator: ",").map { try Workloads.named("\($0)") }
    case "--synchronous": synchronous = try Self.synchronous(value)
    case "--kind": kinds = try value.split(separator: ",").map { try CallKind.named("\($0)") }
    case "--target":
      targets = try value.split(separator: ",").map { try FuzzTargets.named("\($0)") }
    case "--part": parts = try value.split(separator: ",").map { try SoakParts.named("\($0)") }
    case "--error": errors = [try Self.error(value)]
    case "--folder": folder = URL(fileURLWithPath: value)
    case "--seeds" where value.contains("-"): seeds = try Self.range(value)
    default: try set(option, number: value)
    }
  }

  /// Parses a first and a last seed, such as `1001-2000`.
  private static func range(_ text: String) throws -> ClosedRange<Int> {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first > 0, first <= last else {
      throw Finding("--seeds \(text): no number of seeds, and no range such as 1001-2000")
    }
    return first...last
  }

  private mutating func set(_ option: String, number text: String) throws {
    guard let number = Int(text), number > 0 || (option == "--input" && number == 0) else {
      throw Finding("\(option) \(text): no such option, or no number above 0")
    }
    switch option {
    case "--seeds": seeds = 1...number
    case "--seed": seeds = number...number
    case "--call": call = number
    case "--times": times = number
    case "--stride": stride = number
    case "--processes": processes = number
    case "--saves": saves = number
    case "--jobs": jobs = number
    case "--count": count = number
    case "--seconds": seconds = number
    case "--input": input = number
    default: throw Finding("there is no option \(option)")
    }
  }

  /// The seed of the inputs.
  var fuzzSeed: Int { seeds.count == 1 ? seeds.lowerBound : 1 }
  /// The distance between the inputs of one process.
  var step: Int { input == nil ? jobs : 1 }

  private static func synchronous(_ name: String) throws -> fault_synchronous {
    switch name {
    case "off": FAULT_SYNCHRONOUS_OFF
    case "normal": FAULT_SYNCHRONOUS_NORMAL
    case "full": FAULT_SYNCHRONOUS_FULL
    case "said": FAULT_SYNCHRONOUS_AS_SAID
    default: throw Finding("--synchronous is off, normal, full or said, not \(name)")
    }
  }

  private static func error(_ name: String) throws -> Int32 {
    switch name {
    case "eio": EIO
    case "enospc": ENOSPC
    case "eacces": EACCES
    default: throw Finding("--error is eio, enospc or eacces, not \(name)")
    }
  }

  /// The options of a command that repeat the disk's behaviour.
  var disk: String {
    let names = ["off", "normal", "full"]
    let sync = Int(synchronous.rawValue)
    return (sync < names.count ? " --synchronous \(names[sync])" : "") + (lies ? " --lies" : "")
  }
}

/// A kind of call that can be refused.
struct CallKind {
  let name: String
  let kind: fault_kind
  /// The errors that such a call can return.
  let errors: [Int32]

  static let all = [
    CallKind(name: "write", kind: FAULT_WRITE, errors: [EIO, ENOSPC]),
    CallKind(name: "sync", kind: FAULT_SYNC, errors: [EIO, ENOSPC]),
    CallKind(name: "truncate", kind: FAULT_TRUNCATE, errors: [EIO]),
    CallKind(name: "open", kind: FAULT_OPEN, errors: [EIO, ENOSPC]),
    CallKind(name: "delete", kind: FAULT_DELETE, errors: [EIO]),
    CallKind(name: "read", kind: FAULT_READ, errors: [EIO]),
    CallKind(name: "lock", kind: FAULT_LOCK, errors: [EIO]),
    CallKind(name: "shared-memory", kind: FAULT_SHARED_MEMORY, errors: [EIO]),
    CallKind(name: "file-open", kind: FAULT_FILE_OPEN, errors: [EIO, ENOSPC]),
    CallKind(name: "file-write", kind: FAULT_FILE_WRITE, errors: [EIO, ENOSPC]),
    CallKind(name: "file-sync", kind: FAULT_FILE_SYNC, errors: [EIO, ENOSPC]),
    CallKind(name: "file-rename", kind: FAULT_FILE_RENAME, errors: [EIO]),
    CallKind(name: "file-link", kind: FAULT_FILE_LINK, errors: [EIO]),
    CallKind(name: "file-remove", kind: FAULT_FILE_REMOVE, errors: [EIO]),
    CallKind(name: "folder-make", kind: FAULT_FOLDER_MAKE, errors: [EIO, ENOSPC]),
    CallKind(name: "folder-sync", kind: FAULT_FOLDER_SYNC, errors: [EIO]),
  ]

  static func named(_ name: String) throws -> CallKind {
    guard let found = all.first(where: { $0.name == name }) else {
      throw Finding("there is no kind \(name)")
    }
    return found
  }
}
