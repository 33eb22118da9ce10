import HTTPContent
import LandmarksKit

extension AppSource {
  /// All that the page shows, as the API's JSON object.
  func pageState() throws -> [UInt8] {
    let waiting = Set(try store.pendingChanges().map(\.subject))
    var json = JSONBytes()
    json.raw(#"{"landmarks":"#)
    json.list(try store.landmarks()) { json, landmark in
      json.landmark(landmark, isWaiting: waiting.contains("\(landmark.id)"))
    }
    json.raw(#","reservations":"#)
    json.list(try store.reservations()) { json, reservation in
      json.reservation(reservation, isWaiting: waiting.contains(reservation.id.uuidString))
    }
    json.raw(#","notices":"#)
    json.list(try store.notices()) { $0.notice($1) }
    json.raw(#","status":"#)
    json.status(try status())
    json.raw("}")
    return json.bytes
  }
}

extension PendingChange {
  /// The identifier of what it changes.
  var subject: String {
    switch self {
    case .favorite(let id, _): "\(id)"
    case .reservation(let reservation, _): reservation.id.uuidString
    case .removal(let id, _): id.uuidString
    }
  }
}

extension JSONBytes {
  mutating func list<Element>(
    _ elements: [Element], _ write: (inout JSONBytes, Element) -> Void
  ) {
    raw("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { raw(",") }
      write(&self, element)
    }
    raw("]")
  }

  mutating func landmark(_ landmark: Landmark, isWaiting: Bool) {
    raw(#"{"id":"#)
    integer(landmark.id)
    raw(#","name":"#)
    string(landmark.name)
    raw(#","state":"#)
    string(landmark.state)
    raw(#","city":"#)
    string(landmark.city)
    raw(#","category":"#)
    string(landmark.category.rawValue)
    raw(#","isFeatured":"#)
    boolean(landmark.isFeatured)
    raw(#","isFavorite":"#)
    boolean(landmark.isFavorite)
    raw(#","isWaiting":"#)
    boolean(isWaiting)
    raw(#","latitude":"#)
    number(landmark.coordinates.latitude)
    raw(#","longitude":"#)
    number(landmark.coordinates.longitude)
    raw(#","description":"#)
    string(landmark.description)
    raw("}")
  }

  mutating func reservation(_ reservation: Reservation, isWaiting: Bool) {
    raw(#"{"id":"#)
    string(reservation.id.uuidString)
    raw(#","landmarkID":"#)
    integer(reservation.landmarkID)
    raw(#","date":"#)
    time(reservation.date)
    raw(#","status":"#)
    string(reservation.status.rawValue)
    raw(#","isWaiting":"#)
    boolean(isWaiting)
    raw("}")
  }

  mutating func notice(_ notice: SyncNotice) {
    raw(#"{"kind":"#)
    string(notice.kind.rawValue)
    raw(#","reservationID":"#)
    string(notice.reservationID.uuidString)
    raw(#","landmarkID":"#)
    integer(notice.landmarkID)
    raw(#","mine":"#)
    time(notice.mine)
    raw(#","theirs":"#)
    time(notice.theirs)
    raw(#","detail":"#)
    string(notice.detail)
    raw(#","made":"#)
    time(notice.made)
    raw("}")
  }
}
