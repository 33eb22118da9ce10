/// Short forms of times, and those that tables have.
extension Moment {
  /// Returns a date or date-time with its month, day and seconds, for one without them; other texts as they are.
  static func completed(_ text: String) -> String {
    if text.wholeMatch(of: /(?:1[6-9]|2[01])[0-9]{2}/) != nil { return text + "-01-01" }
    if text.wholeMatch(of: /[0-9]{4}-[0-9]{2}/) != nil { return text + "-01" }
    let form = /([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(.*)/
    guard let match = text.wholeMatch(of: form) else { return text }
    let zone = match.4 == " UTC" ? "Z" : match.4
    return "\(match.1)T\(match.2)\(match.3 ?? ":00")\(zone)"
  }
}
