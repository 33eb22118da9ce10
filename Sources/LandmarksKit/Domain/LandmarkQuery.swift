/// Which landmarks are wanted; all conditions must hold.
public struct LandmarkQuery: Hashable, Sendable {
  public var category: Landmark.Category?
  /// The state's name as the landmarks have it.
  public var state: String?
  /// A part of name, city or state, whatever its case and accents.
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
