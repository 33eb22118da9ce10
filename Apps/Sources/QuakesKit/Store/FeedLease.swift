import SwiftData

/// The right to load a feed, which one program at a time has.
///
/// A holder renews the lease while it loads. Others count by their own clocks how long ago they saw it change, so the
/// clocks of several machines needn't agree.
@Model
final class FeedLease {
  /// The name of the feed's copy.
  @Attribute(.unique) var feed: String
  /// The random name of the holder; empty when nobody loads the feed.
  var holder: String
  /// A number that grows whenever the lease is taken or renewed.
  var renewals: Int

  init(feed: String, holder: String, renewals: Int) {
    self.feed = feed
    self.holder = holder
    self.renewals = renewals
  }
}
