import Foundation
import Testing
import WireFormats

@testable import QuakesKit

@Suite("Detail documents")
struct DetailDocumentTests {
  private func document(
    _ products: String, id: String = "us1", ids: String = ",us1,"
  ) throws -> DetailDocument {
    let text =
      #"{"type":"Feature","properties":{"mag":6.1,"ids":"\#(ids)","products":{\#(products)}},"id":"\#(id)"}"#
    return try DetailDocument(Array(text.utf8), of: ["us1", "nc1"])
  }

  private func product(
    _ kind: String, _ properties: String, weight: String = "1", updated: String = "1",
    contents: String = "", status: String = "UPDATE"
  ) -> String {
    """
    "\(kind)":[\(one(properties, weight: weight, updated: updated, contents: contents, status: status))]
    """
  }

  private func one(
    _ properties: String, weight: String = "1", updated: String = "1", contents: String = "",
    status: String = "UPDATE"
  ) -> String {
    """
    {"source":"us","status":"\(status)","preferredWeight":\(weight),"updateTime":\(updated),
    "properties":{\(properties)},"contents":{\(contents)}}
    """
  }

  private static let planes = """
    "nodal-plane-1-strike":"350","nodal-plane-1-dip":"45","nodal-plane-1-rake":"-90",
    "nodal-plane-2-strike":"170","nodal-plane-2-dip":"45","nodal-plane-2-rake":"-90"
    """
  private static let tensor = """
    "tensor-mrr":"-1e18","tensor-mtt":"0","tensor-mpp":"1e18","tensor-mrt":"0","tensor-mrp":"0",
    "tensor-mtp":"0"
    """

  @Test("All that is shown is read")
  func complete() throws {
    let document = try document(
      [
        product("dyfi", #""maxmmi":"5.4","num-responses":"1234""#),
        product(
          "shakemap", #""maxmmi":"6.75""#,
          contents: #""download/cont_mmi.json":{"length":9,"url":"https://a.example/c.json"}"#),
        product("losspager", #""alertlevel":"Yellow","maxmmi":7"#),
        product(
          "moment-tensor",
          Self.planes + "," + Self.tensor
            + #","scalar-moment":"1.5E+18","derived-magnitude":"6.05","derived-magnitude-type":"Mww","percent-double-couple":"0.94""#
        ),
        product(
          "nearby-cities", "",
          contents: #""nearby-cities.json":{"url":"https://a.example/n.json"}"#),
        #""origin":[{"properties":{"x":{"y":[1,2]}}}]"#,
      ].joined(separator: ","))
    let details = document.details
    #expect(details.felt == .init(responses: 1_234, intensity: 5.4))
    #expect(details.shaking == 6.75)
    #expect(details.alert == .init(level: .yellow, intensity: 7))
    let mechanism = try #require(details.mechanism)
    #expect(mechanism.kind == .momentTensor && mechanism.source == "us")
    #expect(
      mechanism.planes == [
        .init(strike: 350, dip: 45, rake: -90), .init(strike: 170, dip: 45, rake: -90),
      ])
    #expect(mechanism.tensor == .init(rr: -1e18, tt: 0, pp: 1e18, rt: 0, rp: 0, tp: 0))
    #expect(mechanism.moment == 1.5e18 && mechanism.doubleCouple == 0.94)
    #expect(mechanism.magnitude == 6.05 && mechanism.magnitudeType == "Mww")
    #expect(
      document.files == [
        .contours: "https://a.example/c.json", .towns: "https://a.example/n.json",
      ])
  }

  @Test("The product with the greatest weight counts, of equal ones the latest that isn't deleted")
  func preferred() throws {
    let products = [
      one(#""maxmmi":"1""#, weight: "5", updated: "9"),
      one(#""maxmmi":"2""#, weight: "6", updated: "2"),
      one(#""maxmmi":"3""#, weight: "6", updated: "3"),
      one(#""maxmmi":"4""#, weight: "6", updated: "4", status: "DELETE"),
    ]
    #expect(
      try document("\"shakemap\":[\(products.joined(separator: ","))]").details.shaking == 3)
  }

  @Test(
    "Values that cannot be right are unknown",
    arguments: [
      #""maxmmi":"99""#, #""maxmmi":"-1""#, #""maxmmi":"nan""#, #""maxmmi":"inf""#,
      #""maxmmi":"0x5""#, #""maxmmi":null"#, #""maxmmi":{"a":1}"#, #""maxmmi":"1e999""#,
      #""maxmmi":[5]"#, #""maxmmi":true"#, #""maxmmi":"""#,
    ])
  func impossible(_ property: String) throws {
    let details = try document(
      product("shakemap", property) + "," + product("dyfi", property) + ","
        + product("losspager", #""alertlevel":"purple","# + property)
    ).details
    #expect(details.shaking == nil && details.felt == nil && details.alert == nil)
  }

  @Test("A mechanism has whole planes and tensors, or none; angles are brought into their range")
  func mechanisms() throws {
    func mechanism(_ properties: String) throws -> EventDetails.Mechanism? {
      try document(product("moment-tensor", properties)).details.mechanism
    }
    #expect(try mechanism(#""tensor-mrr":"1e18","tensor-mtt":"1e18""#) == nil)
    #expect(
      try mechanism(Self.tensor.replacingOccurrences(of: "1e18", with: "0")) == nil)
    #expect(try mechanism(Self.planes.replacingOccurrences(of: "\"45\"", with: "\"95\"")) == nil)
    #expect(try mechanism(#""nodal-plane-1-strike":"350","nodal-plane-1-dip":"45""#) == nil)
    let turned = try mechanism(
      #""nodal-plane-1-strike":-10,"nodal-plane-1-dip":45,"nodal-plane-1-rake":270"#)
    #expect(turned?.planes == [.init(strike: 350, dip: 45, rake: -90)])
    let details = try document(product("focal-mechanism", Self.planes)).details
    #expect(details.mechanism?.kind == .focalMechanism && details.mechanism?.tensor == nil)
  }

  @Test(
    "Documents that are no details of the event are refused",
    arguments: [
      "", "{}", "[]", "null", "<html>", #"{"id":"us1"}"#, #"{"id":"us1","properties":{}}"#,
      #"{"id":"us1","properties":{"products":"none"}}"#,
      #"{"id":"us2","properties":{"ids":",us2,us3,","products":{}}}"#,
      #"{"id":"us1","properties":{"products":{"shakemap":[{"properties":{"maxmmi":"5"}}]"#,
      #"{"id":"us1","properties":{"products":{}}} x"#,
      #"{"id":"us1","properties":{"products":{"x":"# + String(repeating: "[", count: 5_000),
    ])
  func refused(_ text: String) {
    #expect(throws: (any Error).self) { try DetailDocument(Array(text.utf8), of: ["us1"]) }
  }

  @Test("Products, lists and values of other types are passed over")
  func otherTypes() throws {
    let details = try document(
      #""shakemap":{"a":1},"dyfi":[1,"x",null,[{"properties":1}]],"losspager":[{"properties":[],"contents":5}]"#
    ).details
    #expect(details == EventDetails())
    let renamed = try document(product("shakemap", #""maxmmi":5"#), id: "ci7", ids: ",ci7,nc1,")
    #expect(renamed.details.shaking == 5)
  }

  @Test("Thousands of products and overlong texts take no more than they should")
  func large() throws {
    let many = Array(repeating: one(#""maxmmi":"5""#), count: 3_000).joined(separator: ",")
    #expect(try document("\"shakemap\":[\(many)]").details.shaking == 5)
    let long = String(repeating: "9", count: 100_000)
    let details = try document(
      product("dyfi", "\"num-responses\":\"\(long)\",\"maxmmi\":\"\(long)\"")
    ).details
    #expect(details.felt == nil)
    let address = "https://a.example/" + long
    #expect(
      try document(
        product(
          "shakemap", "",
          contents: #""download/cont_mmi.json":{"url":"\#(address)"}"#)
      ).files.isEmpty)
  }

  @Test("Towns: nearest first, at most ten, none with impossible values")
  func towns() throws {
    func towns(_ text: String) throws -> [EventDetails.Town] {
      try TownsDocument.read(Array(text.utf8))
    }
    let found = try towns(
      """
      [{"distance":20,"direction":"N","name":"B","latitude":1,"longitude":2,"population":1e4},
      {"distance":"8.5","direction":"<b>","name":"A","latitude":1,"longitude":2},
      {"distance":-1,"name":"C","latitude":1,"longitude":2},
      {"distance":1,"name":"D","latitude":91,"longitude":2}, 5, null,
      {"distance":1,"name":"","latitude":1,"longitude":2}, {"distance":1,"latitude":1,"longitude":2}]
      """)
    #expect(found.map(\.name) == ["A", "B"])
    #expect(found[0].distance == 8.5 && found[0].direction == nil && found[0].population == nil)
    #expect(found[1].direction == "N" && found[1].population == 10_000)
    let one = #"{"distance":3,"name":"A","latitude":1,"longitude":2}"#
    let many = "[\(Array(repeating: one, count: 5_000).joined(separator: ","))]"
    #expect(try towns(many).count == TownsDocument.limit)
    for text in ["{}", "5", "[", ""] {
      #expect(throws: (any Error).self) { try towns(text) }
    }
  }

  @Test("Contours of both kinds of geometry are read, others are passed over")
  func contours() throws {
    func feature(_ value: String, _ coordinates: String) -> String {
      #"{"properties":{"value":\#(value),"color":"red"},"geometry":{"coordinates":\#(coordinates)}}"#
    }
    func contours(_ features: [String]) throws -> [EventDetails.Contour] {
      try ContoursDocument.read(
        Array("{\"features\":[\(features.joined(separator: ","))]}".utf8))
    }
    let found = try contours([
      feature("5", "[[[10,20],[11,21.123456]],[[1,1],[2,2,7]]]"),
      feature("4.5", "[[179.9,0],[180.1,0.1]]"), feature("\"5\"", "[[[3,3],[4,4]]]"),
      feature("13", "[[[3,3],[4,4]]]"), feature("null", "[[[3,3],[4,4]]]"),
      feature("6", "[[[3,3]]]"), feature("6", "5"), feature("6", "[[[3,\"a\"],[999,4],[1,95]]]"),
      "7", "{}",
    ])
    #expect(found.map(\.intensity) == [4.5, 5])
    #expect(
      found[0].lines == [
        [.init(longitude: 179.9, latitude: 0), .init(longitude: 180.1, latitude: 0.1)]
      ])
    #expect(found[1].lines.count == 3 && found[1].lines[0][1].latitude == 21.1235)
    for text in ["[]", "{}", "{\"features\":5}", "{\"features\":[", ""] {
      #expect(throws: (any Error).self) { try ContoursDocument.read(Array(text.utf8)) }
    }
  }

  @Test("Contours of any number of points are simplified, and keep their form and their ends")
  func simplified() throws {
    func circle(_ points: Int, _ radius: Double) -> String {
      let ends = (0...points).map { index -> String in
        let angle = Double(index % points) / Double(points) * 2 * Double.pi
        return "[\(radius * cos(angle)),\(radius * sin(angle))]"
      }
      return "[\(ends.joined(separator: ","))]"
    }
    let features = (1...20).map { level in
      #"{"properties":{"value":\#(Double(level) / 2)},"geometry":{"coordinates":[\#(circle(3_000, Double(level)))]}}"#
    }
    let contours = try ContoursDocument.read(
      Array("{\"features\":[\(features.joined(separator: ","))]}".utf8))
    let points = contours.reduce(0) { $0 + $1.lines.reduce(0) { $0 + $1.count } }
    #expect(contours.count == 20 && points > 500 && points <= ContoursDocument.maximumPoints)
    for contour in contours {
      let line = contour.lines[0]
      #expect(line.first == line.last)
      for point in line {
        let radius = (point.longitude * point.longitude + point.latitude * point.latitude)
          .squareRoot()
        #expect(abs(radius - contour.intensity * 2) < 0.01)
      }
    }
    let tiny = Array(repeating: "[[1,1],[2,2]]", count: 40_000).joined(separator: ",")
    let many = try ContoursDocument.read(
      Array(
        #"{"features":[{"properties":{"value":5},"geometry":{"coordinates":[\#(tiny)]}}]}"#.utf8))
    #expect(many[0].lines.count == ContoursDocument.maximumLines)
  }

  @Test("Intensities in words")
  func intensities() {
    #expect(Intensity.text(0) == "I (not felt)" && Intensity.text(5.5) == "VI (strong)")
    #expect(Intensity.text(11.9) == "XII (extreme)" && Intensity.text(99) == "XII (extreme)")
  }
}
