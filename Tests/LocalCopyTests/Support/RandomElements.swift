/// Random elements for `Everything`: mostly of the right types, sometimes of others.
enum RandomElements {
  static func object(using random: inout SeededGenerator) -> String {
    var members: [String] = []
    for (key, values) in kinds
    where ["t", "i"].contains(key) || Int.random(in: 0..<5, using: &random) > 0 {
      let space = [" ", "", "", "", "\n"].randomElement(using: &random) ?? ""
      members.append("\(space)\"\(key)\"\(space):\(space)\(value(values, using: &random))")
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let unknown =
        RandomJSON.string(using: &random) + ":" + RandomJSON.value(depth: 3, using: &random)
      members.insert(unknown, at: Int.random(in: 0...members.count, using: &random))
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: members.shuffle(using: &random)
    case 1: members += members.prefix(2)
    case 2: members.append(#""\u0074":"escaped key""#)
    default: break
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// The usual values of each member.
  private static let kinds: [(key: String, values: [String])] = [
    ("t", [#""text""#, #""a longer text than fits in place""#, #""é日😀""#, #""a\n\ud83d\ude00""#]),
    ("flag", ["true", "false"]), ("i8", ["127", "-128", "128", "1.0"]),
    ("i16", ["32767", "-32769", "12e2"]), ("i32", ["2147483647", "-2147483649"]),
    ("i64", ["9223372036854775807", "-9223372036854775808", "9223372036854775808"]),
    ("u", ["0", "18446744073709551615", "-1", "-0"]), ("u8", ["255", "256"]),
    ("u16", ["65535", "0.5"]), ("u32", ["4294967295", "4294967296"]),
    ("u64", ["7", "18446744073709551616"]), ("f", ["0.1", "3.5e38", "16777217"]),
    ("d", ["-122.794830322266", "1e400", "0.30000000000000004", "5", "-0", "1E-7", "0.000001"]),
    ("i", ["1", "-55", "123456789012345678"]), ("the date", ["1.5", "-7", "1746366866670"]),
    ("é", [#""x""#]), ("part", [#"{"n":1}"#, #"{"t":null,"n":2}"#, #"{"n":"x"}"#, "{}"]),
    ("parts", [#"[{"n":1},{"n":2,"t":"y","z":[{}]}]"#, "[]", "[ ]", #"[{"n":1},null]"#]),
    ("numbers", ["[[1,null,2.5],[]]", "[[[]]]", "[[1,]]"]),
    ("table", [#"{"a":1,"b":2}"#, #"{"a":null}"#]), ("kind", [#""quake""#, #""other""#]),
    ("kinds", [#"["blast",null]"#]), ("address", [#""http://example.org""#, #""""#]),
  ]

  private static func value(_ values: [String], using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<300, using: &random) {
    case 0: RandomJSON.value(depth: 2, using: &random)
    case 1...10: "null"
    case 11...20: values.randomElement(using: &random) ?? "null"
    // The first value is always valid.
    default: values[0]
    }
  }

  /// Changes, removes, inserts or cuts off bytes.
  static func mutated(_ text: String, using random: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let byte =
        Bool.random(using: &random)
        ? UInt8.random(in: 0...255, using: &random)
        : Array("{}[]:,\"\\-.0e un".utf8).randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: bytes[place] = byte
      case 3, 4: bytes.remove(at: place)
      case 5, 6: bytes.insert(byte, at: place)
      default: bytes.removeLast(bytes.count - place)
      }
    }
    return bytes
  }
}
