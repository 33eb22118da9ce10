import Foundation
import Testing

@testable import SwiftDataCore

@Suite("Plain types of properties")
struct PlainTypesTests {
  @Test("are none that the runtime would call something else")
  func conformances() {
    func check<Value>(_ type: Value.Type) {
      #expect(!(type is any PersistentModel.Type), "\(type)")
      #expect(!(type is any RelationshipCollection.Type), "\(type)")
      #expect(!(type is any OptionalType.Type), "\(type)")
      for (given, isOptional) in [(type as any Any.Type, false), (Value?.self, true)] {
        let known = PlainTypes.known(given)
        #expect(known.map { ObjectIdentifier($0.type) } == ObjectIdentifier(type), "\(given)")
        #expect(known?.isOptional == isOptional, "\(given)")
        #expect(ObjectIdentifier(PropertyShape.unwrapped(given).type) == ObjectIdentifier(type))
        #expect(PropertyShape.shape(of: given) != nil, "\(given)")
        #expect(Schema.destination(of: given) == nil, "\(given)")
      }
    }
    check(String.self)
    check(Bool.self)
    check(Int.self)
    check(Int8.self)
    check(Int16.self)
    check(Int32.self)
    check(Int64.self)
    check(UInt.self)
    check(UInt8.self)
    check(UInt16.self)
    check(UInt32.self)
    check(UInt64.self)
    check(Double.self)
    check(Float.self)
    check(Decimal.self)
    check(Date.self)
    check(Data.self)
    check(UUID.self)
    check(URL.self)
  }

  @Test("are not optionals of optionals, nor collections")
  func others() {
    #expect(PlainTypes.known(Int??.self) == nil)
    #expect(
      ObjectIdentifier(PropertyShape.unwrapped(Int??.self).type) == ObjectIdentifier(Int?.self))
    #expect(PlainTypes.known([Int].self) == nil)
  }
}
