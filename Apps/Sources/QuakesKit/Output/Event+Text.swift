extension Event {
  /// The magnitude with one decimal, as in the titles of the USGS's feeds; nil when it is unknown.
  public var magnitudeText: String? { magnitude?.tenthText }
}
