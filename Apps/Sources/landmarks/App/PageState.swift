import Foundation
import LandmarksKit
import WireFormats

extension AppSource {
  /// Returns the contents of the page, as the API's JSON object.
  func pageState() async throws -> [UInt8] {
    let changes = try await sync.waiting()
    let notices = try await sync.notices(changes, now: clock.now)
    let waiting = Dictionary(changes.map { ($0.identifier, $0) }) { $1 }
    var json = JSONWriter()
    json.raw(#"{"landmarks":"#)
    json.list(try store.landmarks()) { json, landmark in
      json.landmark(landmark, waiting["\(landmark.id)"])
    }
    json.raw(#","reservations":"#)
    json.list(try store.reservations()) { json, reservation in
      json.reservation(reservation, waiting[reservation.id.uuidString])
    }
    json.raw(#","photos":"#)
    json.list(try store.photos()) { json, photo in
      json.photo(photo, waiting[photo.id.uuidString])
    }
    json.raw(#","notices":"#)
    json.list(notices) { $0.notice($1) }
    json.raw(#","waiting":"#)
    json.list(changes) { $0.waitingChange($1) }
    json.raw(#","status":"#)
    json.status(try status(changes))
    json.raw(#","store":"#)
    json.string(try store.identifier())
    json.raw(#","now":"#)
    json.time(clock.now)
    json.raw("}")
    return json.bytes
  }
}

extension JSONWriter {
  mutating func list<Element>(
    _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) {
    raw("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { raw(",") }
      write(&self, element)
    }
    raw("]")
  }

  mutating func landmark(_ landmark: Landmark, _ waiting: WaitingChange?) {
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
    self.waiting(waiting)
    raw(#","latitude":"#)
    number(landmark.coordinates.latitude)
    raw(#","longitude":"#)
    number(landmark.coordinates.longitude)
    raw(#","description":"#)
    string(landmark.description)
    raw("}")
  }

  mutating func reservation(_ reservation: Reservation, _ waiting: WaitingChange?) {
    raw(#"{"id":"#)
    string(reservation.id.uuidString)
    raw(#","landmarkID":"#)
    integer(reservation.landmarkID)
    raw(#","date":"#)
    time(reservation.date)
    raw(#","note":"#)
    string(reservation.note)
    raw(#","status":"#)
    string(reservation.status.rawValue)
    self.waiting(waiting)
    raw("}")
  }

  /// - Parameter file: The path of the file in which the photo was saved; nil leaves it out.
  mutating func photo(_ photo: VisitPhoto, _ waiting: WaitingChange?, file: String? = nil) {
    raw(#"{"id":"#)
    string(photo.id.uuidString)
    raw(#","reservationID":"#)
    string(photo.reservationID.uuidString)
    raw(#","added":"#)
    time(photo.added)
    raw(#","caption":"#)
    string(photo.caption)
    self.waiting(waiting)
    if let file {
      raw(#","file":"#)
      string(file)
    }
    raw("}")
  }

  private mutating func waiting(_ change: WaitingChange?) {
    raw(#","isWaiting":"#)
    boolean(change != nil)
    raw(#","refusal":"#)
    if case .refused(let reason) = change?.reason { string(reason) } else { raw("null") }
  }

  mutating func waitingChange(_ change: WaitingChange) {
    let (kind, landmark, reservation, photo, isFavorite) = change.subject.parts
    raw(#"{"kind":"#)
    string(kind)
    raw(#","landmarkID":"#)
    integer(landmark)
    raw(#","reservationID":"#)
    string(reservation?.uuidString)
    raw(#","photoID":"#)
    string(photo?.uuidString)
    raw(#","isFavorite":"#)
    if let isFavorite { boolean(isFavorite) } else { raw("null") }
    let (reason, detail) = change.reason.parts
    raw(#","reason":"#)
    string(reason)
    raw(#","detail":"#)
    string(detail)
    choices(change.choices)
    raw("}")
  }

  private mutating func choices(_ dates: [Date]) {
    raw(#","choices":"#)
    list(dates) { $0.time($1) }
  }

  mutating func activity(_ activity: Activity) {
    raw(#"{"kind":"#)
    string(activity.kind.rawValue)
    raw(#","landmarkID":"#)
    integer(activity.landmarkID)
    raw(#","reservationID":"#)
    string(activity.reservationID?.uuidString)
    raw(#","date":"#)
    time(activity.date)
    raw(#","made":"#)
    time(activity.made)
    raw(#","isOwn":"#)
    boolean(activity.isOwn)
    raw("}")
  }

  mutating func notice(_ notice: SyncNotice) {
    raw(#"{"kind":"#)
    string(notice.kind.rawValue)
    raw(#","reservationID":"#)
    string(notice.reservationID?.uuidString)
    raw(#","photoID":"#)
    string(notice.photoID?.uuidString)
    raw(#","landmarkID":"#)
    integer(notice.landmarkID)
    raw(#","mine":"#)
    time(notice.mine)
    raw(#","theirs":"#)
    time(notice.theirs)
    raw(#","note":"#)
    string(notice.note)
    raw(#","caption":"#)
    string(notice.caption)
    raw(#","otherCaption":"#)
    string(notice.otherCaption)
    raw(#","detail":"#)
    string(notice.detail)
    choices(notice.choices)
    raw(#","made":"#)
    time(notice.made)
    raw("}")
  }
}

extension WaitingChange.Subject {
  /// The kind, the landmark, the reservation, the photo and the mark, as far as the subject has them.
  fileprivate var parts:
    (kind: String, landmark: Int?, reservation: UUID?, photo: UUID?, isFavorite: Bool?)
  {
    switch self {
    case .favorite(let id, let isFavorite): ("favorite", id, nil, nil, isFavorite)
    case .reservation(let id, let landmark): ("reservation", landmark, id, nil, nil)
    case .removal(let id): ("removal", nil, id, nil, nil)
    case .photo(let id, let reservation): ("photo", nil, reservation, id, nil)
    case .photoRemoval(let id): ("photoRemoval", nil, nil, id, nil)
    }
  }
}

extension WaitingChange.Reason {
  fileprivate var parts: (name: String, detail: String?) {
    switch self {
    case .waits: ("waits", nil)
    case .underWay: ("underWay", nil)
    case .refused(let reason): ("refused", reason)
    case .troubled(let reason): ("troubled", reason)
    }
  }
}
