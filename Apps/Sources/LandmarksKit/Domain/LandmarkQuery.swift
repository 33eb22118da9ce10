/// A filter for landmarks; all its conditions must hold.
public struct LandmarkQuery: Hashable, Sendable {
  public var category: Landmark.Category?
  /// The name of the state as the landmarks have it.
  public var state: String?
  /// A part of the name, the city or the state, regardless of case and accents.
  public var text: String?
  public var favoritesOnly: Bool

  public init(
    category: Landmark.Category? = nil, state: String? = nil, text: String? = nil,
    favoritesOnly: Bool = false
  ) {
    self.category = category
    self.state = state
    self.text = text
    self.favoritesOnly = favoritesOnly
  }
}
