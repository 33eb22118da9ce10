import Testing

@testable import SwiftDataCore

@Suite("Owners of lists that are kept for a while") struct RecentOwnersTests {
  @Test("The earliest are released when the lists of all have too many models") func bound() {
    var kept = RecentOwners()
    let owners = (0..<5).map { _ in TestAuthor() }
    let half = RecentOwners.maximumCount / 2 - 1
    for owner in owners.prefix(2) { #expect(kept.keep(owner) { half }.isEmpty) }
    #expect(
      kept.keep(owners[2]) { half }.map(ObjectIdentifier.init) == [ObjectIdentifier(owners[0])])
    let all = kept.keep(owners[3]) { 10 * RecentOwners.maximumCount }
    #expect(all.map(ObjectIdentifier.init) == owners[1...2].map(ObjectIdentifier.init))
    #expect(kept.keep(owners[4]) { 1 }.map(ObjectIdentifier.init) == [ObjectIdentifier(owners[3])])
  }

  @Test("An owner that is kept isn't counted again") func repeated() {
    var kept = RecentOwners()
    let owner = TestAuthor()
    #expect(kept.keep(owner) { 3 }.isEmpty)
    let again = kept.keep(owner) {
      Issue.record("the list was counted again")
      return 3
    }
    #expect(again.isEmpty)
  }

  @Test("Thousands of owners with short lists are kept up to the maximum") func many() {
    var kept = RecentOwners()
    var released = 0
    for _ in 0..<20_000 { released += kept.keep(TestAuthor()) { 1 }.count }
    #expect(released == 20_000 - RecentOwners.maximumCount / 2)
  }
}
