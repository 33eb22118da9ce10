import Testing
import WireFormats

@Suite("Days of the Gregorian calendar")
struct CivilDayTests {
  @Test("Each day follows the day before, from the year -400 to 4000")
  func consecutive() {
    var expected = CivilDay.number(year: -400, month: 1, day: 1)
    for year in -400...4_000 {
      var areRight = true
      for month in 1...12 {
        let count = CivilDay.count(ofMonth: month, in: year)
        for day in [1, count] {
          let number = CivilDay.number(year: year, month: month, day: day)
          let again = CivilDay(secondsSince1970: number * 86_400 + 86_399)
          areRight = areRight && number == expected + day - 1 && again.number == number
          areRight = areRight && (again.year, again.month, again.day) == (year, month, day)
        }
        expected += count
      }
      #expect(areRight, "\(year)")
    }
  }

  @Test("Known days", arguments: [(1970, 1, 1, 0), (2000, 3, 1, 11_017), (1969, 12, 31, -1)])
  func known(year: Int, month: Int, day: Int, number: Int) {
    #expect(CivilDay.number(year: year, month: month, day: day) == number)
  }

  @Test("Leap years", arguments: [(1900, 28), (2000, 29), (2023, 28), (2024, 29), (2100, 28)])
  func february(year: Int, count: Int) {
    #expect(CivilDay.count(ofMonth: 2, in: year) == count)
  }
}
