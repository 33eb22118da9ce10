extension Double {
  /// The number as exports write it: in the shortest form that reads back the same, whole numbers without decimals.
  var exportedText: String { Int(exactly: self).map(String.init) ?? description }
}
