import Foundation

/// The life of an event: its forms, oldest first, each with what changed.
public struct EventLife: Sendable {
  /// One form of the event.
  public struct Step: Hashable, Sendable {
    /// The time from which the event had this form.
    public var moment: Date
    /// The change in words, such as `M 4.2 ml → M 4.6 mww, moved 11 km, reviewed`.
    public var text: String
  }

  /// The forms, the present one last.
  public let steps: [Step]

  /// - Parameters:
  ///   - revisions: The earlier forms, oldest first.
  ///   - event: The present form.
  ///   - unit: The unit of distances and depths.
  public init(_ revisions: [Revision], _ event: Event, in unit: DistanceUnit = .kilometres) {
    let forms = revisions.map(\.values) + [Revision.Values(event)]
    steps = forms.indices.map { index in
      guard index > 0 else {
        return Step(moment: forms[0].updated, text: Self.first(forms[0]))
      }
      let (old, new) = (forms[index - 1], forms[index])
      // A feed changes nothing about an event that it leaves out or lists again.
      let isListing = (old.withdrawn == nil) != (new.withdrawn == nil)
      return Step(
        moment: isListing ? revisions[index - 1].until : new.updated,
        text: Self.change(from: old, to: new, unit))
    }
  }

  private static func first(_ form: Revision.Values) -> String {
    [magnitude(form), form.status].compactMap { $0 }.joined(separator: ", ")
  }

  private static func change(
    from old: Revision.Values, to new: Revision.Values, _ unit: DistanceUnit
  ) -> String {
    var parts: [String] = []
    if old.withdrawn == nil, new.withdrawn != nil { parts.append("withdrawn") }
    if old.withdrawn != nil, new.withdrawn == nil { parts.append("listed again") }
    if old.id != new.id { parts.append("now \(new.id), before \(old.id)") }
    if magnitude(old) != magnitude(new) { parts.append("\(magnitude(old)) → \(magnitude(new))") }
    let distance = GreatCircle.distance(
      from: (old.longitude, old.latitude), to: (new.longitude, new.latitude))
    if distance >= 0.05 { parts.append("moved \(unit.distance(distance))") }
    if old.depth != new.depth {
      parts.append("depth \(depth(old, unit)) → \(depth(new, unit))")
    }
    let seconds = new.time.timeIntervalSince(old.time)
    if seconds != 0 {
      parts.append("\(decimal(abs(seconds))) s \(seconds > 0 ? "later" : "earlier")")
    }
    if let status = new.status, status != old.status { parts.append(status) }
    if old.type != new.type { parts.append(new.type) }
    if let place = new.place, place != old.place { parts.append(unit.place(place)) }
    return parts.isEmpty ? "revised" : parts.joined(separator: ", ")
  }

  private static func magnitude(_ form: Revision.Values) -> String {
    let value = form.magnitude.map { decimal($0, 2) } ?? "unknown"
    return ["M", value, form.magnitudeType].compactMap { $0 }.joined(separator: " ")
  }

  private static func depth(_ form: Revision.Values, _ unit: DistanceUnit) -> String {
    form.depth.map { unit.depth(Double(decimal($0)) ?? $0) } ?? "unknown"
  }

  /// The number without zeros at its end.
  private static func decimal(_ value: Double, _ places: Int = 1) -> String {
    var text = String(format: "%.\(places)f", value)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}
