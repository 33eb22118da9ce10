// The values of Landmarks' page. Those of the API are described in docs/openapi-landmarks.yaml, times in milliseconds
// since 1970 UTC.

/** How far the last edit of a landmark's mark or of a reservation has come; missing marks are false. */
interface EditMarks {
  /** The edit is nowhere but here. */
  isUnstored?: boolean;
  /** It is kept in this browser. */
  isKept?: boolean;
  /** It has waited for so short a time that it isn't told yet. */
  isQuiet?: boolean;
  /** The program has it, and the server doesn't. */
  isWaiting?: boolean;
  /** The program refused it, for the reason. */
  isRefused?: boolean;
  reason?: string;
  /** It is a new visit that the program refused. */
  isUnmade?: boolean;
  /** It is a removal. */
  isRemoval?: boolean;
  /** The server's reason for refusing it. */
  refusal?: string | null;
}

interface Landmark extends EditMarks {
  id: number;
  name: string;
  state: string;
  city: string;
  category: string;
  description: string;
  longitude: number;
  latitude: number;
  isFeatured: boolean;
  isFavorite: boolean;
}

interface Reservation extends EditMarks {
  id: string;
  landmarkID: number;
  date: number;
  note: string;
  status: "confirmed" | "cancelled";
}

/** A photo of a visit. */
interface Photo extends EditMarks {
  id: string;
  reservationID: string;
  added: number;
  caption: string;
  /** Its bytes, while this browser keeps it. */
  blob?: Blob;
}

/** The data from which a removed photo is made again; no bytes when they couldn't be read. */
interface KnownPhoto {
  added: number;
  caption: string;
  blob: Blob | null;
}

/** The members of notices. */
interface NoticeFacts {
  /** Null for a mark, and for a photo that was removed. */
  reservationID: string | null;
  photoID?: string | null;
  landmarkID: number | null;
  mine: number | null;
  theirs: number | null;
  note: string | null;
  /** The caption of a photo here, and elsewhere. */
  caption?: string | null;
  otherCaption?: string | null;
  detail: string | null;
  /** Dates that the server would take. Missing in states that were kept by an earlier version. */
  choices?: number[];
  made: number;
}

/** An automatic decision, or a refusal of the server; the date here and the one elsewhere, where the kind has both. */
type Notice = NoticeFacts & (
  | { kind: "keptMyDate" | "movedElsewhere" | "cancelledElsewhere" | "bookedElsewhere"; mine: number; theirs: number }
  | { kind: "removedElsewhere"; mine: number }
  | { kind: "keptMyEdit" | "restoredTheirEdit" | "mergedNote" | "refused" | "keptMyCaption" | "captionedElsewhere" }
);

/** A done edit, and how it is taken back. */
interface UndoOffer {
  number: number;
  title: string;
  text: string;
  /** Whether it is still so. */
  holds: () => boolean;
  undo: () => Promise<void>;
}

/** A change that the program hasn't exchanged with the server yet. */
interface WaitingChange {
  kind: "favorite" | "reservation" | "removal" | "photo" | "photoRemoval";
  landmarkID: number | null;
  reservationID: string | null;
  isFavorite: boolean | null;
  reason: "waits" | "underWay" | "refused" | "troubled";
  detail: string | null;
}

interface Activity {
  kind: "marked" | "unmarked" | "planned" | "moved" | "cancelled" | "booked" | "noted" | "removed"
    | "photoAdded" | "captioned" | "photoRemoved";
  landmarkID: number | null;
  /** Null for a mark. Missing in answers of earlier versions of the program. */
  reservationID?: string | null;
  date: number | null;
  made: number;
  isOwn: boolean;
}

interface SyncStatus {
  state: "idle" | "syncing" | "synced" | "offline" | "off" | "paused";
  lastUpdated: number | null;
  pending: number;
  message: string | null;
  server: string;
  /** Missing in states that were kept by an earlier version. */
  signIn?: "token" | "signedIn" | "signedOut" | "ended";
  /** The signed-in user, or the one whose data the store has. */
  user?: string | null;
  /** When the server was last found to go on with an older copy of its data; missing as above. */
  restored?: number | null;
}

/** The state on which edits are shown. */
interface Shown {
  landmarks: Landmark[];
  reservations: Reservation[];
  photos: Photo[];
  notices: Notice[];
}

interface ProgramState extends Shown {
  waiting?: WaitingChange[];
  status: SyncStatus;
  store: string | null;
  /** The program's time. Missing in answers of earlier versions. */
  now?: number;
}

interface Configuration {
  mapAvailable: boolean;
  store?: string | null;
}

/** The values that edits change, by their kind. The date of a visit is for words. */
interface EditValues {
  favorite: { landmarkID: number; on: boolean };
  reserve: { reservationID: string; landmarkID: number; date: number; note?: string };
  move: { reservationID: string; date: number };
  note: { reservationID: string; date: number; note: string; base: string };
  cancel: { reservationID: string; date: number };
  remove: { reservationID: string; date: number };
  photo: { photoID: string; reservationID: string; date: number; added: number; caption: string; blob: Blob };
  caption: { photoID: string; reservationID: string; date: number; caption: string };
  removePhoto: { photoID: string; reservationID: string; date: number };
  /** The identifier is that of the photo, if the notice is about one. */
  dismiss: { reservationID: string; decided: number };
}

type EditKind = keyof EditValues;

/** The members of every edit. */
interface EditFacts {
  /** A UUID, with which the program knows the edit again. */
  id: string;
  /** The edit in words. */
  what: string;
  /** The landmark's name. */
  name: string;
  made: number;
  /** The store that it is for. */
  store: string | null;
  /** The store's user, where it is known. Missing in edits of earlier versions. */
  user?: string | null;
  state: "waiting" | "refused" | "sent";
  reason?: string;
  failures: number;
}

/** The user's edit. */
type Edit = { [K in EditKind]: EditOf<K> }[EditKind];
type EditOf<K extends EditKind> = EditFacts & EditValues[K] & { kind: K };

/** The effects of an edit of a kind. */
interface EditRules<K extends EditKind> {
  /** The edit in words. */
  what(values: EditValues[K] & { name: string }): string;
  /** Applies it to a state. */
  show(state: Shown, edit: EditOf<K>, marks: EditMarks): void;
  /** Gives it to the program. */
  send(edit: EditOf<K>, key: EditKey): Promise<SyncStatus>;
}

/** An edit in the browser's database, with its number there. */
type KeptEdit = Edit & { number: number };

/** A message between tabs about their edits. `reason` is null when the program has taken the edit. */
type QueueMessage =
  | { type: "changed" }
  | { type: "unwritten"; number: number; values: Partial<EditFacts> }
  | { type: "settled"; id: string; reason: string | null; edit?: Edit };

/** A key of an edit: repeated, the edit has one effect. */
interface EditKey {
  id: string;
  store: string | null;
  /** The time of the edit, by the browser's clock. */
  made: number;
}

/** The listed kind, and the filters. */
interface ListState {
  list: string;
  search: string;
  category: string;
  state: string;
}

/** The state that the page's address names. */
interface PageState extends ListState {
  landmark: number | null;
  /** The identifier of a visit to it. */
  visit: string | null;
}

/** The parts of the page that show what is chosen. */
interface ChoiceParts {
  list: import("../Sources/landmarks/Resources/web/js/list.js").List;
  details: import("../Sources/landmarks/Resources/web/js/details.js").Details;
  map: import("../Sources/landmarks/Resources/web/js/map-panel.js").MapPanel;
  notices: import("../Sources/landmarks/Resources/web/js/notices.js").Notices;
}

type App = import("../Sources/landmarks/Resources/web/js/app.js").App;
type Model = import("../Sources/landmarks/Resources/web/js/model.js").Model;
type BaseMap = import("../Sources/LocalApp/Resources/web/js/base-map.js").BaseMap;
type MapNames = import("../Sources/LocalApp/Resources/web/js/map-names.js").MapNames;
