"""Item `apps.10`: page, address, API, command line and store understand a search alike, and as an independent reading
of its terms does."""

import datetime
import json
import math
import pathlib
import random
import subprocess
import unicodedata
import urllib.error
import urllib.parse
from decimal import ROUND_FLOOR, Decimal

from .lines import ROOT, check, note
from .programs import Quakes, fetch, fetch_json

#: The Python that has Playwright.
VENV = ROOT / ".setup" / "venv" / "bin" / "python"
EVENTS = 1_500
DAY = 86_400_000
EARTH, MILE = 6371.0088, 1.609344
#: Words, with the texts of places that they mean besides themselves.
WORDS = {
    "geysers": [], "grindavik": [], "Guánica": [], "RIDGE": [], "km": [], "nnw": [], "quarry": [], "explosion": [],
    "alaska": [", AK", "Alaska"], "ak": [", AK", "Alaska"], "california": [", CA", "California"],
    "CA": [", CA", "California"], "nevada": [", NV", "Nevada"], "hawaii": [", HI", "Hawaii"], "japan": ["Japan"],
    "jpn": ["Japan"], "idn": ["Indonesia"], "chl": ["Chile"], "indonesia": ["Indonesia"],
}
#: Where places are, to the nearest tenth of a degree or so.
PLACES = {
    "tokyo": (35.7, 139.7), "TOKYO": (35.7, 139.7), "anchorage": (61.2, -149.9), "reno": (39.5, -119.8),
    '"los angeles"': (34.05, -118.2), "los_angeles": (34.05, -118.2), "paris,tx": (33.7, -95.6),
    "paris,france": (48.9, 2.35), "jakarta": (-6.2, 106.8), "lima": (-12.05, -77.05), "honolulu": (21.3, -157.85),
}
#: Terms that cannot be read.
WRONG = (
    "m>x", "m:5..4", "depth<deep", "depth:30..10", "since:2024-13", "until:yesterday", "status:odd", "type:",
    "near:", "near:xyzzyplugh", "near:95,0", "near:0,181", "near:tokyo 30000km", "id:",
)


def folded(text):
    return "".join(
        letter for letter in unicodedata.normalize("NFD", text) if unicodedata.category(letter) != "Mn"
    ).lower()


def contains(event, text):
    """Whether a text is a part of the place, or of a kind other than earthquake."""
    kind = event["type"] if event["type"] != "earthquake" else ""
    return folded(text) in folded(event["place"] or "") or folded(text) in folded(kind)


def kilometres(north, east, event):
    first, second = math.radians(north), math.radians(event["latitude"])
    along = math.sin((second - first) / 2) ** 2
    across = math.sin(math.radians(event["longitude"] - east) / 2) ** 2
    return 2 * EARTH * math.asin(min(1, math.sqrt(along + math.cos(first) * math.cos(second) * across)))


def milliseconds(*parts):
    return int(datetime.datetime(*parts, tzinfo=datetime.UTC).timestamp() * 1_000)


def is_known(name, test):
    """A test of a value that an event may lack."""
    return lambda event: event[name] is not None and test(event[name])


class Ambiguous(Exception):
    """A term at whose limit there is an event."""


class Terms:
    """Makes terms by chance, each with a test of an event."""

    def __init__(self, events, places, now, chance):
        self.events, self.places, self.now, self.chance = events, places, now, chance

    def term(self):
        text, test = self.chance.choice((
            self.word, self.quoted, self.comparison, self.range, self.rounded, self.time, self.day, self.field,
            self.near, self.near,
        ))()
        if self.chance.random() < 0.25:
            return "-" + text, lambda event: not test(event)
        return text, test

    def word(self):
        word = self.chance.choice([*WORDS])
        return word, lambda event: contains(event, word) or any(text in (event["place"] or "") for text in WORDS[word])

    def quoted(self):
        words = self.chance.choice([event["place"] for event in self.events if event["place"]]).split()
        start = self.chance.randrange(len(words))
        text = " ".join(words[start:start + self.chance.randint(1, 3)])
        return f'"{text}"', lambda event: contains(event, text)

    def comparison(self):
        name, field, unit, factor = self.chance.choice((
            ("m", "magnitude", "", 1), ("mag", "magnitude", "", 1), ("magnitude", "magnitude", "", 1),
            ("depth", "depth", "", 1), ("depth", "depth", "km", 1), ("depth", "depth", "mi", MILE),
        ))
        sign = self.chance.choice(("<", "<=", ">", ">="))
        # Values that events have, so that limits matter.
        value = self.chance.choice([event[field] for event in self.events if event[field] is not None])
        value = round(value, 2) if factor == 1 else round(value / factor)
        limit = value * factor
        test = {
            "<": lambda each: each < limit, "<=": lambda each: each <= limit, ">": lambda each: each > limit,
            ">=": lambda each: each >= limit,
        }[sign]
        return f"{name}{sign}{value}{unit}", is_known(field, test)

    def range(self):
        field = self.chance.choice(("magnitude", "depth"))
        values = [event[field] for event in self.events if event[field] is not None]
        least, most = sorted(self.chance.sample(values, 2))
        has_least, has_most = self.chance.choice(((True, True), (True, False), (False, True)))
        text = f"{'m' if field == 'magnitude' else 'depth'}:{least if has_least else ''}..{most if has_most else ''}"
        return text, is_known(
            field, lambda each: (not has_least or each >= least) and (not has_most or each <= most))

    def rounded(self):
        magnitude = self.chance.choice([each for event in self.events if (each := event["magnitude"]) and each > 0])
        if self.chance.random() < 0.2:
            return f"{int(magnitude)}.5+", is_known("magnitude", lambda each: each >= int(magnitude) + 0.5)
        if self.chance.random() < 0.2:
            word, least = f"m{int(magnitude)}", int(magnitude)
            return word, lambda event: contains(event, word) or (
                event["magnitude"] is not None and least <= event["magnitude"] < least + 1)
        tenths = self.tenths(magnitude)
        word, form = f"{tenths // 10}.{tenths % 10}", self.chance.choice(("", "m:", "m="))
        return form + word, lambda event: (not form and contains(event, word)) or (
            event["magnitude"] is not None and self.tenths(event["magnitude"]) == tenths)

    @staticmethod
    def tenths(magnitude):
        """The tenths to which a magnitude rounds, halves up."""
        return int((Decimal(str(magnitude)) * 10 + Decimal("0.5")).to_integral_value(ROUND_FLOOR))

    def moment(self):
        """A time as text, with its milliseconds."""
        chosen = datetime.datetime.fromtimestamp(self.chance.choice(self.events)["time"] / 1_000, datetime.UTC)
        form = self.chance.randrange(5)
        if form == 0:
            return str(chosen.year), milliseconds(chosen.year, 1, 1)
        if form == 1:
            return chosen.strftime("%Y-%m"), milliseconds(chosen.year, chosen.month, 1)
        if form == 2:
            return chosen.strftime("%Y-%m-%d"), milliseconds(chosen.year, chosen.month, chosen.day)
        if form == 3:
            start = milliseconds(chosen.year, chosen.month, chosen.day, chosen.hour, chosen.minute)
            return chosen.strftime("%Y-%m-%dT%H:%MZ"), start
        hours = self.chance.randint(2, 700)
        limit = self.now - hours * 3_600_000
        # A span ends at the moment of the search; that of the checks is within these minutes.
        if any(limit - 60_000 <= event["time"] <= limit + 600_000 for event in self.events):
            raise Ambiguous
        return f"{hours}h", limit

    def time(self):
        text, limit = self.moment()
        if self.chance.random() < 0.5:
            return f"since:{text}", lambda event: event["time"] >= limit
        return f"until:{text}", lambda event: event["time"] < limit

    def day(self):
        chosen = datetime.datetime.fromtimestamp(self.chance.choice(self.events)["time"] / 1_000, datetime.UTC)
        start = milliseconds(chosen.year, chosen.month, chosen.day)
        return chosen.strftime("%Y-%m-%d"), lambda event: start <= event["time"] < start + DAY

    def field(self):
        event = self.chance.choice(self.events)
        name = self.chance.choice(("type", "status", "id"))
        if name == "status":
            return f"status:{event['status']}", lambda each: each["status"] == event["status"]
        if name == "type":
            part = self.chance.choice(("quake", "blast", "quarry_blast", "explosion", "EARTH"))
            return f"type:{part}", lambda each: folded(part.replace("_", " ")) in folded(each["type"])
        id = self.chance.choice([event["id"], *event["aliases"]])
        return f"id:{id}", lambda each: each["id"] == id or id in each["aliases"]

    def near(self):
        radius, unit = self.chance.choice(((None, ""), (50, "km"), (300, " km"), (2_500, "km"), (700, "mi"), (99.5, "mi")))
        limit = (radius or 100) * (MILE if "mi" in unit else 1)
        if self.chance.random() < 0.5:
            name = self.chance.choice([*self.places])
            north, east = self.places[name]
        else:
            event = self.chance.choice(self.events)
            north, east = round(event["latitude"], 2), round(event["longitude"], 2)
            name = f"{north},{east}"
        if any(abs(kilometres(north, east, event) - limit) < 1e-6 for event in self.events):
            raise Ambiguous
        text = f"near:{name}" + (f" {radius}{unit}" if radius else "")
        return text, lambda event: kilometres(north, east, event) <= limit


def searches(terms, count):
    """Searches with the identifiers of the events that all of their terms fit."""
    found = []
    while len(found) < count:
        try:
            chosen = [terms.term() for _ in range(terms.chance.choice((1, 1, 2, 2, 3, 4)))]
        except Ambiguous:
            continue
        text = " ".join(term for term, _ in chosen)
        ids = [event["id"] for event in terms.events if all(test(event) for _, test in chosen)]
        if len(text) <= 200 and text not in {search for search, _ in found}:
            found.append((text, ids))
    return found


def status_of(url):
    try:
        fetch(url)
    except urllib.error.HTTPError as error:
        return error.code
    return 200


def asked(server, path, **parameters):
    return fetch_json(f"{server.url}{path}?{urllib.parse.urlencode(parameters)}")


def paged(url, cases, log):
    """The number of searches that a page shows as they are wanted, typed and from its address."""
    script = pathlib.Path(__file__).with_name("search_page.py")
    ended = subprocess.run(
        [VENV, script, url], input=json.dumps(cases), capture_output=True, text=True, timeout=1_800, check=False)
    log.write_text(ended.stdout + ended.stderr, encoding="utf-8")
    check(ended.returncode == 0, f"the page: {ended.stderr.strip()[-400:]}")
    answer = json.loads(ended.stdout)
    check(not answer["problems"], f"the page: {'; '.join(answer['problems'][:3])} (of {len(answer['problems'])})")
    return answer["searches"]


def figure(scene):
    quakes, folder = Quakes(scene.product("quakes")), scene.folder("search")
    feed, store, chance = folder / "feed.geojson", folder / "a.store", random.Random(scene.seed)
    count, every = scene.amount((120, 4), (3_000, 10))
    quakes.run("demo-feed", "--write", feed, "--events", EVENTS)
    quakes.refresh(feed, store, "--all-magnitudes")
    events = json.loads(quakes.run("list", "--json", "--store", store))
    with quakes.serve(
        "--port", 0, "--feed", feed, "--store", store, "--all-magnitudes", "--every", "24h",
        log=scene.log("search-server"),
    ) as server:
        places = {}
        for name, (north, east) in PLACES.items():
            place = asked(server, "/api/places", name=name.strip('"'))["place"]
            check(place, f"near:{name} isn't known")
            apart = kilometres(north, east, place)
            check(apart < 20, f"near:{name} is {place['name']}, {apart:.0f} km from where it should be")
            places[name] = (place["latitude"], place["longitude"])
        now = datetime.datetime.now(datetime.UTC).timestamp() * 1_000
        cases = searches(Terms(events, places, now, chance), count)
        for number, (search, wanted) in enumerate(cases):
            answer = asked(server, "/api/events", search=search, limit=5_000)
            ids = [event["id"] for event in answer["events"]]
            differing = {*ids} ^ {*wanted}
            check(not differing and answer["total"] == len(ids) == len(wanted),
                  f"{search} in the API: {len(ids)} events instead of {len(wanted)}, such as {sorted(differing)[:3]}")
            if number % every == 0:
                shown = json.loads(quakes.run("list", "--json", f"--search={search}", "--store", store))
                check([event["id"] for event in shown] == ids, f"{search} on the command line: {len(shown)} events")
                total = asked(server, "/api/statistics", search=search)["count"]
                check(total == len(ids), f"{search} in the statistics: {total} events")
        for term in WRONG:
            check(status_of(f"{server.url}/api/events?{urllib.parse.urlencode({'search': term})}") == 400,
                  f"{term}: the API takes it")
            status = quakes.start("list", f"--search={term}", "--store", store).wait(60)
            check(status == 64, f"{term}: the command line ends with {status}")
        some = sum(bool(wanted) for _, wanted in cases)
        note(f"{len(cases)} searches, {some} of which find something, agree; now on the page")
        california = [
            event["id"] for event in events if contains(event, "california") or ", CA" in (event["place"] or "")
        ]
        shown = paged(server.url, [
            *({"search": search, "ids": wanted, "isWrong": False} for search, wanted in cases),
            *({"search": f"california {term}", "ids": california, "isWrong": True} for term in WRONG),
        ], scene.log("search-page"))
    lines = len(range(0, count, every))
    return (
        f"{count} searches by chance (seed {scene.seed}) over {len(events)} events, {some} of which find something:"
        f" API, page and address find what an independent reading finds, {lines} also on the command line and in the"
        f" statistics; {len(WRONG)} terms that cannot be read are refused, and left out by the page ({shown} searches)"
    )
