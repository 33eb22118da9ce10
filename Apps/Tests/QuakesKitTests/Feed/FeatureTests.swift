import Foundation
import QuakesKit
import Testing

@Suite("Reading a feature")
struct FeatureTests {
  private func feature(_ properties: String, point: String = "[-122.8,38.8,2.5]") throws -> Event {
    let text = """
      {"type":"Feature","properties":\(properties),"geometry":{"type":"Point","coordinates":\(point)},
      "id":"nc1"}
      """
    return try JSONDecoder().decode(FeedEvent.self, from: Data(text.utf8)).event
  }

  @Test("All members of a feature are stored")
  func complete() throws {
    let read = try feature(
      #"""
      {"mag":4.5,"place":"near","time":1500,"updated":2000,"url":"https://x","felt":3,"alert":"green",
      "status":"REVIEWED","tsunami":1,"sig":312,"net":"nc","code":"1","magType":"ml","type":"quarry blast",
      "ids":",us9,nc1,,","sources":",nc,","types":",origin,","title":"M 4.5 - near","detail":"https://y","tz":-480,
      "cdi":3.4,"mmi":2.5,"nst":12,"dmin":0.02,"rms":0.1,"gap":76}
      """#)
    #expect(read.id == "nc1" && read.net == "nc" && read.code == "1")
    #expect(read.magnitude == 4.5 && read.magnitudeType == "ml")
    #expect(read.time == Date(timeIntervalSince1970: 1.5))
    #expect(read.updated == Date(timeIntervalSince1970: 2))
    #expect(read.status == "reviewed" && read.alert == "green")
    #expect(read.tsunami && read.felt == 3 && read.significance == 312)
    #expect(read.type == "quarry blast" && read.place == "near")
    #expect(read.longitude == -122.8 && read.latitude == 38.8 && read.depth == 2.5)
    #expect(read.aliases == ",us9," && read.otherIdentifiers == ["us9"])
    #expect(read.url == "https://x" && read.withdrawn == nil && read.replacement == nil)
    #expect(read.sources == ",nc," && read.types == ",origin," && read.title == "M 4.5 - near")
    #expect(read.detail == "https://y" && read.timeZone == -480 && read.stations == 12)
    #expect(read.reportedIntensity == 3.4 && read.estimatedIntensity == 2.5)
    #expect(read.nearestStation == 0.02 && read.residual == 0.1 && read.gap == 76)
  }

  @Test("Null and missing values are fine where real feeds have them")
  func sparse() throws {
    for properties in [
      #"{"time":0}"#,
      #"{"time":0,"mag":null,"place":null,"updated":null,"felt":null,"alert":null,"tsunami":null,"url":null}"#,
    ] {
      let read = try feature(properties, point: "[1,2,null]")
      #expect(read.magnitude == nil && read.place == nil && read.depth == nil)
      #expect(read.updated == read.time && !read.tsunami && read.significance == 0)
    }
  }

  @Test("Whole and decimal numbers mix, times may be negative, depth may be missing")
  func numbers() throws {
    let read = try feature(
      #"{"time":-86400000.0,"mag":-1,"felt":3.0,"sig":12.0}"#, point: "[10,-20]")
    #expect(read.time == Date(timeIntervalSince1970: -86_400))
    #expect(read.magnitude == -1 && read.felt == 3)
    #expect(read.significance == 12 && read.depth == nil)
  }

  @Test(
    "Missing or invalid required members are an error",
    arguments: [
      (#"{"mag":1}"#, "[1,2,3]"), (#"{"time":null}"#, "[1,2,3]"), (#"{"time":"now"}"#, "[1,2,3]"),
      (#"{"time":0}"#, "[]"), (#"{"time":0}"#, "[1]"), (#"{"time":0}"#, "[181,0]"),
      (#"{"time":0}"#, "[0,90.5]"), (#"{"time":0}"#, "[null,1]"), (#"{"time":1e300}"#, "[1,2]"),
      (#"{"time":0,"mag":"strong"}"#, "[1,2]"), (#"{"time":0,"felt":1e300}"#, "[1,2]"),
    ])
  func unusable(properties: String, point: String) {
    #expect(throws: DecodingError.self) { try feature(properties, point: point) }
  }

  @Test(
    "The error has the place",
    arguments: [
      (#"{"time":1e300}"#, "[1,2]", "properties.time"),
      (#"{"time":0,"updated":-1e300}"#, "[1,2]", "properties.updated"),
      (#"{"time":0,"sig":1e300}"#, "[1,2]", "properties.sig"),
      (#"{"time":0}"#, "[181,0]", "geometry.coordinates"),
      (#"{"time":0}"#, "[1]", "geometry.coordinates"),
    ])
  func places(properties: String, point: String, place: String) throws {
    let error = #expect(throws: DecodingError.self) { try feature(properties, point: point) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == place)
  }

  @Test(
    "Every feature of the captures of real feeds is read",
    .enabled(if: Captures.exist("feeds"), Captures.absence("feeds")))
  func captures() throws {
    struct Collection: Decodable { var features: [FeedEvent] }
    var (count, titles) = (0, 0)
    for file in try FileManager.default.contentsOfDirectory(
      at: Captures.file("feeds"), includingPropertiesForKeys: nil)
    where file.pathExtension == "geojson" {
      let data = try Data(contentsOf: file)
      let features = try JSONDecoder().decode(Collection.self, from: data).features
      for event in features.map(\.event) {
        #expect(event.id == event.net + event.code)
        // The magnitude is written as in the feed's own title: "M 4.5 - 10 km N of Town". The sign of a zero is left
        // out.
        if let title = event.title, let text = event.magnitudeText, title.hasPrefix("M ") {
          let words = title.replacingOccurrences(of: "M -0.0 ", with: "M 0.0 ")
          #expect(words.hasPrefix("M \(text) "), "\(event.id)")
          titles += 1
        }
      }
      count += features.count
    }
    #expect(count > 10_000 && titles > 10_000)
  }

  @Test("A magnitude is written with one decimal, halves away from zero")
  func magnitudes() throws {
    func text(_ magnitude: Double) -> String? {
      EventFormatTests.event("a", magnitude: magnitude).magnitudeText
    }
    #expect([6.35, 3.05, 8.45, 6.34, 7].map(text) == ["6.4", "3.1", "8.5", "6.3", "7.0"])
    #expect([-0.35, -1.15, -0.04, 0].map(text) == ["-0.4", "-1.2", "0.0", "0.0"])
    #expect(EventFormatTests.event("a", magnitude: nil).magnitudeText == nil)
  }

  @Test("The rule keeps magnitudes above zero, or all")
  func rule() {
    let magnitudes: [Double?] = [nil, -1, 0, 0.01, 5]
    #expect(magnitudes.map(MagnitudeRule.aboveZero.keeps) == [false, false, false, true, true])
    #expect(magnitudes.map(MagnitudeRule.all.keeps) == [true, true, true, true, true])
  }
}
