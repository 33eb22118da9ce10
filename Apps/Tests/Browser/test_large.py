"""Twenty thousand events: filtering stays within a frame, the document stays small."""

import random
import re
import statistics
import time
import unicodedata

import pytest
from playwright.sync_api import expect

COUNT = 20_000
FRAME = 16.0
ROUNDS = 5
PLACES = ["The Geysers, CA", "Pāhala, Hawaii", "Lata, Solomon Islands", "Kokopo, Papua New Guinea"]


def synthetic():
    """Deterministic events; the last one alone is at Nowhere."""
    chance = random.Random(20_000)
    now = int(time.time() * 1000)
    for number in range(COUNT):
        place = "Nowhere" if number == COUNT - 1 else chance.choice(PLACES)
        yield {
            "id": f"xx{number:08}", "magnitude": round(chance.uniform(0.1, 7), 2),
            "magnitudeType": "ml", "place": f"{chance.randint(1, 99)} km NW of {place}",
            "time": now - number * 120_000, "updated": now, "longitude": chance.uniform(-180, 180),
            "latitude": chance.uniform(-75, 75), "depth": 10, "type": "earthquake",
            "status": "reviewed", "alert": None, "tsunami": False, "felt": None,
            "significance": 1, "url": None,
        }


def serve_events(context, events):
    """Answers the pages of the API as the server does."""
    def answer(route):
        query = route.request.url.split("?", 1)[1]
        fields = dict(field.split("=") for field in query.split("&"))
        start, limit = int(fields.get("offset", 0)), int(fields["limit"])
        end = start + limit
        more = f"/api/events?limit={limit}&offset={end}" if end < len(events) else None
        route.fulfill(json={
            "events": events[start:end], "total": len(events), "limit": limit, "offset": start,
            "next": more,
        })

    context.route("**/api/events?*", answer)


def matches(events, text):
    folded = unicodedata.normalize("NFD", text)
    plain = [unicodedata.normalize("NFD", e["place"]).lower().replace("\u0304", "") for e in events]
    return sum(all(word in place for word in folded.split()) for place in plain)


@pytest.mark.alone
def test_twenty_thousand_events_filter_and_sort_within_a_frame(visit):
    events = list(synthetic())
    made = visit()
    serve_events(made.context, events)
    made.open()
    page = made.page
    expect(page.locator("#count")).to_have_text("20,000 earthquakes")
    # Neighbours, the last and the first included, differ in their counts, so that each is waited for.
    texts = ["12 km", "pahala", "nowhere", "solomon", "9", "geysers 7", "papua", "pahala hawaii"]
    counts = {text: f"{matches(events, text):,} of 20,000 earthquakes" for text in texts}
    durations = []
    for _ in range(ROUNDS):
        page.evaluate("performance.clearMeasures('quakes-filter')")
        for text, count in counts.items():
            page.get_by_role("searchbox").fill(text)
            expect(page.locator("#count")).to_have_text(count)
        durations.append(page.evaluate(
            "performance.getEntriesByName('quakes-filter', 'measure').map((m) => m.duration)"))
        assert len(durations[-1]) == len(texts)
    expect(page.locator("#list .place").first).to_contain_text("Pāhala")
    # The shortest time of each search leaves out the time that other programs take from a round.
    shortest = [min(times) for times in zip(*durations)]
    assert statistics.median(shortest) < FRAME, durations
    assert made.rows.count() < 40


@pytest.mark.parametrize("width", [320, 390, 900, 1440])
def test_the_count_stays_on_one_line_and_the_list_in_its_place(visit, width):
    made = visit(with_map=width == 1440, viewport={"width": width, "height": 800})
    serve_events(made.context, list(synthetic()))
    made.open()
    page = made.page
    expect(page.locator("#count")).to_have_text("20,000 earthquakes")
    top = page.locator("#list").bounding_box()["y"]
    page.get_by_role("searchbox").fill("geysers")
    expect(page.locator("#count")).to_have_text(re.compile(r"^\d,\d{3} of 20,000 earthquakes$"))
    assert page.locator("#list").bounding_box()["y"] == top
    numbers = page.locator("#count").evaluate(
        "(count) => { const range = document.createRange(); range.selectNode(count.firstChild);"
        " return range.getBoundingClientRect().right <= count.getBoundingClientRect().right + 1; }")
    assert numbers, "the numbers are cut"
