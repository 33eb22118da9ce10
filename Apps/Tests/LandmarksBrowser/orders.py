"""Random orders of edits, ends and starts on the page of a device, and what the page has shown as kept."""

import contextlib
import dataclasses
import datetime
import random
import re
import sqlite3
import subprocess
import uuid
import zoneinfo

from playwright.sync_api import expect

from browsers import wait_for
from test_kept import Gate, in_sync, reopened
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, open_visit
from test_photos import png

#: Edits with their weights.
EDITS = {
    "mark": 4, "reserve": 3, "move": 2, "cancel": 2, "remove": 2, "undo": 4, "note": 3, "photo": 2, "caption": 1,
    "remove photo": 1, "elsewhere": 2,
}
#: Ends and starts with theirs; those of programs, servers and tabs come as often as edits do.
ENDS = {"kill": 5, "start": 6, "tab": 4, "server": 4}
PHOTOS = 2
ZONE = zoneinfo.ZoneInfo("America/Denver")
REFERENCE = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)


def orders(count, length=16):
    """Orders: a way in which the page is opened, and steps, each with a number from which its choices follow.

    Of each three, one is in a browser that is killed, and one has its files kept, so that its tabs open without the
    program.
    """
    chance = random.Random(20261126)
    for number in range(count):
        way = ("plain", "kept files", "killed browser")[number % 3]
        kinds = {**EDITS, **ENDS, **({} if way == "kept files" else {"swallow": 3})}
        if way == "killed browser":
            kinds["browser"] = 3
        chosen = chance.choices(list(kinds), list(kinds.values()), k=length)
        yield way, [(kind, chance.randrange(1 << 30)) for kind in chosen]


@dataclasses.dataclass
class Photo:
    """A photo, which is known by its width."""

    width: int
    caption: str


@dataclasses.dataclass
class Visit:
    date: datetime.datetime
    status: str = "confirmed"
    note: list = dataclasses.field(default_factory=list)
    photos: dict = dataclasses.field(default_factory=dict)

    @property
    def shown_date(self):
        return f"{self.date:%a}, {self.date.day} {self.date:%b %Y, %H:%M}"

    @property
    def seconds(self):
        return (self.date.astimezone(datetime.UTC) - REFERENCE).total_seconds()


class Order:
    """One order on a page, with what the page has shown as kept.

    A visit that is never removed is noted on another device, too, so that notes are merged.
    """

    def __init__(self, world, device, page, port):
        self.world, self.device, self.page, self.port = world, device, page, port
        self.gate = Gate(page.context, re.compile("/api/(favorites|reservations|photos|notices|sync)"))
        self.favorites = set()
        self.visits = {}
        self.noted_elsewhere = []
        self.offer = None
        self.edits = 0
        self.count = 0

    # MARK: Ends and starts

    @property
    def is_running(self):
        return self.device.process.poll() is None

    def kill(self):
        if self.is_running:
            self.device.process.kill()
            self.device.process.wait()

    def start(self):
        if not self.is_running:
            self.device = self.world.device("a", self.port)
            self.gate.open = True

    def server(self):
        if self.world.server:
            self.world.server.process.kill()
            self.world.stop_server()
        else:
            self.world.start_server()

    def swallow(self):
        if self.is_running:
            self.gate.swallow = 1

    def tab(self, opens_without_program):
        if self.is_running or opens_without_program:
            reopened(self.page)
            self.opened()

    def browser(self):
        if self.is_running:
            self.page.kill()
            self.page.launch()
            self.gate.guard(self.page.context)
            self.opened()

    def opened(self):
        self.offer = None
        open_visit(self.page)

    # MARK: Shown parts

    @property
    def tab_page(self):
        return self.page.page

    def row(self, id):
        return self.tab_page.locator(f'#visits .visit[data-reservation="{id}"]')

    def photo(self, id):
        return self.tab_page.locator(f'#visits .photo[data-photo="{id}"]')

    def heart(self, number):
        return self.page.row(number).locator(".heart")

    def new(self, visit, former):
        """The identifier of a visit's row that isn't among the former ones."""
        others = "".join(f':not([data-reservation="{id}"])' for id in former)
        row = self.tab_page.locator(f"#visits .visit{others}")
        expect(row).to_have_count(1)
        expect(row).to_contain_text(visit.shown_date)
        return row.get_attribute("data-reservation")

    def new_photos(self, id, former, count):
        """The identifiers of a visit's photos that aren't among the former ones, in their order."""
        others = "".join(f':not([data-photo="{photo}"])' for photo in former)
        found = self.row(id).locator(f".photo{others}")
        expect(found).to_have_count(count)
        return [found.nth(number).get_attribute("data-photo") for number in range(count)]

    def settle(self):
        """Waits until nothing is shown as unstored."""
        expect(self.tab_page.locator("#unstored")).to_be_hidden()

    def shown_photos(self):
        ids = self.tab_page.locator("#visits .photo")
        return [ids.nth(number).get_attribute("data-photo") for number in range(ids.count())]

    @property
    def present_rows(self):
        """The rows of visits but for those whose removal waits for the program."""
        return self.tab_page.locator("#visits .visit").filter(has_not_text="Removal kept")

    @staticmethod
    def present_photos(rows):
        return rows.locator(".photo:not([aria-label*='Removal kept'])")

    def check(self):
        """Compares the page with what it has shown as kept."""
        for number in (EL_CAPITAN, YOSEMITE_FALLS):
            expect(self.heart(number)).to_have_attribute("aria-pressed", str(number in self.favorites).lower())
        for id, visit in self.visits.items():
            row = self.row(id)
            expect(row.locator(".text")).to_contain_text(visit.shown_date)
            (expect(row.locator(".text")).to_contain_text if visit.status == "cancelled"
             else expect(row.locator(".text")).not_to_contain_text)("Cancelled")
            for line in visit.note:
                expect(row.locator(".note")).to_contain_text(line)
            for photo, known in visit.photos.items():
                expect(self.photo(photo)).to_have_accessible_name(re.compile(f"^{known.caption}( \\(|$)"))
        expect(self.present_rows).to_have_count(len(self.visits))
        expect(self.present_photos(self.present_rows)).to_have_count(
            sum(len(visit.photos) for visit in self.visits.values()))

    # MARK: Edits

    def date(self):
        """A time that no visit of this order has had."""
        self.count += 1
        return datetime.datetime(2027, 6, 1, 10, tzinfo=ZONE) + datetime.timedelta(days=self.count)

    def word(self, what):
        self.count += 1
        return f"{what} {self.count}."

    def fill(self, field, date):
        self.tab_page.locator(field).fill(f"{date:%Y-%m-%dT%H:%M}")

    def press(self, id, name):
        self.row(id).get_by_role("button", name=name, exact=False).click()

    def chosen(self, chance, allows=lambda id, visit: True):
        """A visit that allows something, or null."""
        return chance.choice([id for id, visit in self.visits.items() if allows(id, visit)] or [None])

    def mark(self, chance):
        number = chance.choice([EL_CAPITAN, YOSEMITE_FALLS])
        expect(self.heart(number)).to_have_attribute("aria-pressed", str(number in self.favorites).lower())
        self.heart(number).click()
        self.favorites ^= {number}
        self.edits += 1
        expect(self.heart(number)).not_to_have_attribute("data-state", "unstored")

    def reserve(self, chance):
        visit = Visit(self.date(), note=[self.word("Planned")] if chance.random() < 0.5 else [])
        former = self.all_rows()
        self.fill("#reserve-date", visit.date)
        self.tab_page.locator("#reserve-note").fill("\n".join(visit.note))
        self.tab_page.get_by_role("button", name="Reserve", exact=True).click()
        id = self.new(visit, former)
        self.settle()
        self.visits[id] = visit
        self.edits += 1
        return id

    def all_rows(self):
        rows = self.tab_page.locator("#visits .visit")
        return [rows.nth(number).get_attribute("data-reservation") for number in range(rows.count())]

    def move(self, chance):
        id = self.chosen(chance)
        visit = self.visits[id]
        self.press(id, "Book again" if visit.status == "cancelled" else "Move")
        date = self.date()
        self.fill("#change-date", date)
        self.tab_page.locator("#change-form").get_by_role("button", name="Move").click()
        expect(self.tab_page.locator("#change")).to_be_hidden()
        if self.offer and self.offer[0] == "cancel" and self.offer[1] == id:
            self.offer = None
        visit.date, visit.status = date, "confirmed"
        self.edits += 1

    def cancel(self, chance):
        id = self.chosen(chance, lambda id, visit: visit.status == "confirmed")
        if id is None:
            return
        self.press(id, "Cancel")
        expect(self.row(id).locator(".text")).to_contain_text("Cancelled")
        self.settle()
        self.offered(f"{self.visits[id].shown_date} is cancelled.")
        self.visits[id].status = "cancelled"
        self.offer = ("cancel", id)
        self.edits += 1

    def offered(self, text):
        expect(self.tab_page.locator(".notice.undo")).to_contain_text(text)

    def remove(self, chance):
        id = self.chosen(
            chance, lambda id, visit: visit.status == "cancelled" and id != self.shared)
        if id is None:
            return
        visit = self.visits[id]
        self.press(id, "Remove")
        dialog = self.tab_page.locator("#removal[open]")
        offer = self.tab_page.locator(".notice.undo", has_text=f"{visit.shown_date} is removed")
        expect(dialog.or_(offer)).to_be_visible()
        self.offer = ("remove", visit)
        if dialog.is_visible():
            # Its photos can be read from the program only.
            assert visit.photos
            dialog.get_by_role("button", name="Remove").click()
            self.offer = None
        expect(self.row(id).filter(has_not_text="Removal kept")).to_have_count(0)
        self.settle()
        del self.visits[id]
        self.edits += 1

    def undo(self, chance):
        notice = self.tab_page.locator(".notice.undo")
        if self.offer is None:
            return
        kind, what = self.offer
        former, former_photos = self.all_rows(), self.shown_photos()
        notice.get_by_role("button", name="Undo").click()
        self.offer = None
        if kind == "cancel":
            expect(self.row(what).locator(".text")).not_to_contain_text("Cancelled")
            self.visits[what].status = "confirmed"
            self.edits += 1
        elif kind == "remove":
            id = self.new(what, former)
            expect(self.row(id).locator(".text")).to_contain_text("Cancelled")
            photos = self.new_photos(id, former_photos, len(what.photos))
            self.visits[id] = dataclasses.replace(
                what, photos=dict(zip(photos, what.photos.values(), strict=True)))
            self.edits += 2 + len(photos)
        else:
            id, known = what
            (photo,) = self.new_photos(id, former_photos, 1)
            self.visits[id].photos[photo] = known
            self.edits += 1
        self.settle()

    def note(self, chance):
        # Half of the notes are on the visit that is noted elsewhere, too.
        id = self.shared if chance.random() < 0.5 else self.chosen(chance)
        line = self.word("Noted")
        self.press(id, "Note")
        text = self.tab_page.locator("#note-text")
        text.fill(f"{text.input_value()}\n{line}")
        self.tab_page.locator("#note-form").get_by_role("button", name="Save").click()
        expect(self.tab_page.locator("#note")).to_be_hidden()
        self.visits[id].note.append(line)
        self.edits += 1

    def add_photo(self, chance):
        id = self.chosen(chance, lambda id, visit: len(visit.photos) < PHOTOS)
        if id is None:
            return
        self.count += 1
        known = Photo(40 + self.count, f"Photo of {self.word('width')}")
        former = self.shown_photos()
        self.press(id, "Add a photo")
        self.tab_page.locator("#photo-file").set_input_files(
            [{"name": "a.png", "mimeType": "image/png", "buffer": png(known.width, 30)}])
        self.tab_page.locator("#photo-text").fill(known.caption)
        self.tab_page.locator("#photo-submit").click()
        expect(self.tab_page.locator("#photo-add")).to_be_hidden()
        (photo,) = self.new_photos(id, former, 1)
        self.settle()
        self.visits[id].photos[photo] = known
        self.edits += 1

    def pictured(self, chance):
        id = self.chosen(chance, lambda id, visit: visit.photos)
        return (id, chance.choice(list(self.visits[id].photos))) if id else (None, None)

    def caption(self, chance):
        id, photo = self.pictured(chance)
        if id is None:
            return
        text = self.word("Caption")
        self.photo(photo).click()
        self.tab_page.locator("#photo-change").click()
        self.tab_page.locator("#caption-text").fill(text)
        self.tab_page.locator("#caption-form").get_by_role("button", name="Save").click()
        expect(self.tab_page.locator("#caption")).to_be_hidden()
        self.visits[id].photos[photo].caption = text
        self.edits += 1

    def remove_photo(self, chance):
        id, photo = self.pictured(chance)
        if id is None:
            return
        self.offer = None
        offer = self.tab_page.locator(".notice.undo")
        if offer.is_visible():
            offer.get_by_role("button", name="Dismiss").click()
        self.photo(photo).click()
        self.tab_page.locator("#photo-remove").click()
        expect(self.present_photos(self.row(id)).and_(self.photo(photo))).to_have_count(0)
        self.settle()
        known = self.visits[id].photos.pop(photo)
        self.edits += 1
        if self.is_running:
            # Its bytes can be read, so it can be taken back.
            self.offered("The photo of the visit to El Capitan is removed.")
            self.offer = ("photo", (id, known))

    def elsewhere(self, chance):
        """Another device notes something on the visit that both have."""
        line = self.word("Elsewhere")
        self.landmarks("note", self.shared, "--add", line)
        self.noted_elsewhere.append(line)
        if self.world.server:
            self.exchange_elsewhere()

    # MARK: The other device, and the end

    def landmarks(self, *words, name="b"):
        return subprocess.run(
            [self.world.binary, *words, "--store", str(self.world.folder / f"{name}.store")],
            capture_output=True, check=True, text=True).stdout

    def exchange_elsewhere(self):
        self.landmarks("sync", "--server", f"http://127.0.0.1:{self.world.port}")

    def begin(self):
        """Plans the visit that the other device notes on, too."""
        in_sync(self.page)
        open_visit(self.page)
        self.shared = self.reserve(random.Random(1))
        in_sync(self.page)
        self.exchange_elsewhere()

    def step(self, kind, number, opens_without_program=False):
        chance = random.Random(number)
        if kind in ENDS or kind in ("swallow", "browser"):
            self.tab(opens_without_program) if kind == "tab" else getattr(self, kind)()
        else:
            {"photo": self.add_photo, "remove photo": self.remove_photo}.get(kind, getattr(self, kind, None))(chance)
        self.check()

    def end(self):
        """Starts everything again, and exchanges until both devices are up to date."""
        self.gate.open, self.gate.swallow = True, 0
        self.start()
        if not self.world.server:
            self.world.start_server()
        self.sent()
        in_sync(self.page)
        self.exchange_elsewhere()
        if self.noted_elsewhere:
            expect(self.row(self.shared).locator(".note")).to_contain_text(self.noted_elsewhere[-1])
        in_sync(self.page)

    def sent(self):
        """Waits until the program has all edits. After failures, the page pauses for up to 30 seconds when the program
        seemed to answer all the time, as behind the closed gate: nothing tells it to try again earlier."""
        expect(self.tab_page.locator("#kept")).to_have_attribute("data-count", "0", timeout=60_000)

    def wanted(self):
        """The data that device and server should have."""
        shared = self.visits[self.shared]
        shared.note = [*shared.note, *self.noted_elsewhere]
        return (
            sorted(self.favorites),
            {id: (visit.seconds, visit.status, sorted(visit.note)) for id, visit in self.visits.items()},
            {photo: (id, known.caption) for id, visit in self.visits.items() for photo, known in visit.photos.items()},
        )

    def stored(self, name, prefix, number):
        """The data of a store, in the same form."""
        def text(identifier):
            return str(uuid.UUID(bytes=identifier)).upper()

        query = {
            "Stored": "SELECT remoteID FROM StoredLandmark WHERE isFavorite ORDER BY 1",
            "Served": "SELECT landmarkID FROM ServedFavorite ORDER BY 1",
        }[prefix]
        visit = "reservationID" if prefix == "Stored" else "reservation"
        with contextlib.closing(sqlite3.connect(self.world.folder / f"{name}.store", timeout=30)) as store:
            return (
                [mark for (mark,) in store.execute(query)],
                {text(id): (date, status, sorted(filter(None, (note or "").split("\n"))))
                 for id, date, status, note in store.execute(
                     f"SELECT {number}, date, status, note FROM {prefix}Reservation")},
                {text(id): (text(of), caption) for id, of, caption in store.execute(
                    f"SELECT {number}, {visit}, caption FROM {prefix}Photo")},
            )

    def made(self):
        with contextlib.closing(sqlite3.connect(self.world.folder / "a.store", timeout=30)) as store:
            return store.execute("SELECT count(*) FROM StoredEdit").fetchone()[0]

    def compare(self):
        wanted = self.wanted()
        self.wait_for(lambda: self.stored("server", "Served", "number"), wanted)
        assert self.stored("a", "Stored", "remoteID") == wanted
        self.exchange_elsewhere()
        assert self.stored("b", "Stored", "remoteID") == wanted
        assert self.made() == self.edits
        self.check()
        assert self.tab_page.locator(".notice.problem").count() == 0
        self.compare_photos()

    def compare_photos(self):
        """Each photo has its width, and the same bytes on both devices."""
        for id, visit in self.visits.items():
            for photo, known in visit.photos.items():
                width = self.tab_page.evaluate("""async (id) => {
                  const answer = await fetch(`/api/photos/${id}`);
                  return (await createImageBitmap(await answer.blob())).width;
                }""", photo)
                assert width == known.width
            if visit.photos:
                saved = [self.saved(id, name) for name in ("a", "b")]
                assert saved[0] == saved[1] and len(saved[0]) == len(visit.photos)

    def saved(self, id, name):
        folder = self.world.folder / f"photos of {name}" / id
        folder.mkdir(parents=True)
        self.landmarks("photo", id, "--save", str(folder), name=name)
        return sorted(file.read_bytes() for file in folder.iterdir())

    def wait_for(self, read, wanted):
        wait_for(self.tab_page, read, wanted)
