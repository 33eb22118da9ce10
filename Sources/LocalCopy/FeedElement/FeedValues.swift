import Foundation
import WireFormats

/// A type that ``_FeedReader`` reads from the bytes of a feed.
public protocol _FeedValue {
  /// Reads the value at the reader's position.
  init(_feed reader: inout _FeedReader) throws(_FeedMismatch)
}

extension String: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.json.string()
  }
}

extension Bool: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.json.bool()
  }
}

extension Double: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.double()
  }
}

extension Float: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) { self = try reader.float() }
}

extension Date: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    switch reader.decoder.options.dates {
    case .deferredToDate: self.init(timeIntervalSinceReferenceDate: try reader.double())
    case .secondsSince1970: self.init(timeIntervalSince1970: try reader.double())
    case .millisecondsSince1970: self.init(timeIntervalSince1970: try reader.double() / 1000)
    case .iso8601, .custom: self = try reader.general(Date.self)
    }
  }
}

extension Optional: _FeedValue where Wrapped: _FeedValue {
  @inlinable
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    if try reader.takeNull() {
      self = nil
    } else {
      self = .some(try Wrapped(_feed: &reader))
    }
  }
}

extension Array: _FeedValue where Element: _FeedValue {
  @inlinable
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = []
    guard try reader.beginArray() else { return }
    // Most arrays of numbers are points and boxes: reserving four elements avoids a second
    // allocation for them.
    if MemoryLayout<Element>.stride <= 16 { reserveCapacity(4) }
    repeat { append(try Element(_feed: &reader)) } while try reader.nextElement()
  }
}

// MARK: Integers

extension Int: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension Int8: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension Int16: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension Int32: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension Int64: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension UInt: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension UInt8: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension UInt16: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension UInt32: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}

extension UInt64: _FeedValue {
  public init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
    self = try reader.integer()
  }
}
