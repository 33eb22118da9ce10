import WireFormats

extension DetailsLoader.Answer {
  /// Appends the details as the API's JSON object; unknown values are `null`, never omitted. The document's address,
  /// whose query may be a secret, isn't among them.
  public func write(to json: inout JSONWriter) {
    let details = kept.details
    json.raw("{")
    json.field("id", kept.event)
    json.field("loaded", kept.loaded)
    json.field("eventUpdated", kept.eventUpdated)
    json.field("isCurrent", isCurrent)
    json.member("failure")
    if let failure {
      json.raw("{")
      json.field("code", failure.code.name)
      json.field("message", failure.reason)
      json.raw("}")
    } else {
      json.raw("null")
    }
    json.member("felt")
    json.object(details.felt) { felt, json in
      json.field("responses", felt.responses)
      json.field("intensity", felt.intensity)
    }
    json.field("shaking", details.shaking)
    json.member("alert")
    json.object(details.alert) { alert, json in
      json.field("level", alert.level.rawValue)
      json.field("intensity", alert.intensity)
    }
    json.member("mechanism")
    json.object(details.mechanism) { mechanism, json in mechanism.write(to: &json) }
    json.member("towns")
    json.list(details.towns) { town, json in
      json.raw("{")
      json.field("name", town.name)
      json.field("distance", town.distance)
      json.field("direction", town.direction)
      json.field("longitude", town.longitude)
      json.field("latitude", town.latitude)
      json.field("population", town.population)
      json.raw("}")
    }
    json.member("contours")
    json.list(details.contours) { contour, json in
      json.raw("{")
      json.field("intensity", contour.intensity)
      json.member("lines")
      json.list(contour.lines) { line, json in
        json.list(line) { point, json in
          json.raw("[")
          json.number(point.longitude)
          json.raw(",")
          json.number(point.latitude)
          json.raw("]")
        }
      }
      json.raw("}")
    }
    json.field("missing", details.missing.map(\.rawValue))
    json.raw("}")
  }
}

extension EventDetails.Mechanism {
  /// Appends the members of the mechanism's object.
  fileprivate func write(to json: inout JSONWriter) {
    json.field("kind", kind.rawValue)
    json.field("source", source)
    json.member("tensor")
    json.object(tensor) { tensor, json in
      json.field("rr", tensor.rr)
      json.field("tt", tensor.tt)
      json.field("pp", tensor.pp)
      json.field("rt", tensor.rt)
      json.field("rp", tensor.rp)
      json.field("tp", tensor.tp)
    }
    json.member("planes")
    json.list(planes) { plane, json in
      json.raw("{")
      json.field("strike", plane.strike)
      json.field("dip", plane.dip)
      json.field("rake", plane.rake)
      json.raw("}")
    }
    json.field("moment", moment)
    json.field("magnitude", magnitude)
    json.field("magnitudeType", magnitudeType)
    json.field("doubleCouple", doubleCouple)
  }
}

extension JSONWriter {
  /// Appends an object, or `null`.
  fileprivate mutating func object<Value>(
    _ value: Value?, _ members: (Value, inout JSONWriter) -> Void
  ) {
    guard let value else { return raw("null") }
    raw("{")
    members(value, &self)
    raw("}")
  }

  /// Appends an array.
  fileprivate mutating func list<Value>(
    _ values: [Value], _ element: (Value, inout JSONWriter) -> Void
  ) {
    raw("[")
    for (position, value) in values.enumerated() {
      if position > 0 { raw(",") }
      element(value, &self)
    }
    raw("]")
  }
}
