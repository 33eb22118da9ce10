/// A column of the exports and tables of events that users can choose, with its name in the API.
public enum EventColumn: String, CaseIterable, Sendable {
  case id, time, updated, magnitude, magnitudeType, place, longitude, latitude, depth, type, status
  case alert, tsunami, felt, significance, url
}
