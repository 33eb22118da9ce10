import Testing

@testable import CurlClient

@Suite("Header fields")
struct HTTPFieldsTests {
  @Test("are found in any case, and in their order") func names() {
    var fields: HTTPFields = ["Accept": "a", "X-One": "1"]
    fields.add("accept", "b, c ,")
    #expect(fields["ACCEPT"] == ["a", "b, c ,"])
    #expect(fields.first("x-one") == "1")
    #expect(fields.first("x-two") == nil)
    #expect(fields.list("Accept") == ["a", "b", "c"])
    fields.replace("ACCEPT", "d")
    #expect(fields["accept"] == ["d"])
    #expect(fields.all.map(\.name) == ["X-One", "ACCEPT"])
  }

  @Test(
    "are valid when they stay one line",
    arguments: [
      ("X", "", true), ("X-Y_z.1!#$%&'*+^`|~", "a b\tc é", true), ("", "", false),
      ("X Y", "", false),
      ("X:", "", false), ("é", "", false), ("X", "\r", false), ("X", "\n", false),
      ("X", "\u{0}", false), ("X", "\u{7F}", false),
    ])
  func validity(name: String, value: String, isValid: Bool) {
    #expect(HTTPFields.Field(name: name, value: value).isValid == isValid)
  }
}
