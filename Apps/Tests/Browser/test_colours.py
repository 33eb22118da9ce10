"""The colours of the circles: by age, depth or magnitude, with a legend; they differ for everybody."""

import itertools
import pathlib
import re

import pytest
from playwright.sync_api import expect

from accessibility import colours, distinct, violations
from test_in_view import shown_event
from test_modules import NOW, opened, run  # noqa: F401

STYLES = (pathlib.Path(__file__).parents[2] / "Sources/quakes/Resources/web/app.css").read_text()
SCHEMES = {
    "age": ["age-hour", "age-day", "age-week", "age-older"],
    "depth": ["depth-35", "depth-70", "depth-300", "depth-more", "unknown"],
    "magnitude": ["magnitude-less", "magnitude-2", "magnitude-4", "magnitude-6", "unknown"],
}
#: How colours look to people with a kind of cones only in part or not at all, in linear light (Machado, Oliveira and
#: Fernandes 2009, severity 1).
SIGHTS = {
    "all": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(name, dark):
    """A colour of app.css in linear light."""
    ends = re.search(rf"--{name}: light-dark\(#(\w{{6}}), #(\w{{6}})\);", STYLES).groups()
    values = [int(ends[dark][at:at + 2], 16) / 255 for at in (0, 2, 4)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def luminance(colour):
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), colour))


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def lab(colour):
    """CIE 1976 L*a*b* of a colour in linear light."""
    rows = [(0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)]
    parts = [sum(a * b for a, b in zip(row, colour)) / white for row, white in zip(rows, (0.9505, 1, 1.089))]
    x, y, z = [part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in parts]
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour, sight):
    return lab([min(1, max(0, sum(a * b for a, b in zip(row, colour)))) for row in SIGHTS[sight]])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_colours_have_contrast_and_differ_for_everybody(scheme, dark):
    for name, ground in itertools.product(SCHEMES[scheme], ["surface", "map-land", "map-water"]):
        assert contrast(linear(name, dark), linear(ground, dark)) >= 3, (name, ground)
    for (one, other), sight in itertools.product(itertools.combinations(SCHEMES[scheme], 2), SIGHTS):
        difference = sum((a - b) ** 2 for a, b in zip(
            seen(linear(one, dark), sight), seen(linear(other, dark), sight))) ** 0.5
        assert difference >= 15, (one, other, sight, difference)


@pytest.mark.parametrize("scheme, classes", [
    ("age", [(0, "age-hour"), (3_599_999, "age-hour"), (3_600_000, "age-day"), (86_400_000, "age-week"),
             (604_800_000, "age-older")]),
    ("depth", [(-2, "depth-35"), (34.9, "depth-35"), (35, "depth-70"), (70, "depth-300"), (300, "depth-more"),
               (700, "depth-more"), (None, "unknown")]),
    ("magnitude", [(-0.5, "magnitude-less"), (2.49, "magnitude-less"), (2.5, "magnitude-2"), (4.5, "magnitude-4"),
                   (6, "magnitude-6"), (9, "magnitude-6"), (None, "unknown")]),
])
def test_an_event_has_the_colour_of_its_class(run, scheme, classes):
    names = run(
        "circle_colours.choose(input.scheme);"
        "const names = input.values.map((value) => circle_colours.colourName({ time: input.now - value,"
        " depth: value, magnitude: value }, input.now));"
        "circle_colours.choose('other'); return names;",
        ["circle-colours"], {"scheme": scheme, "values": [value for value, _ in classes], "now": NOW})
    assert names == [name for _, name in classes]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_choice_changes_map_list_and_details_and_is_kept(visit, scheme):
    made = visit(with_map=True, color_scheme=scheme)
    depths = [5, 50, 200, 600]
    made.serve([
        shown_event(number, 20, -150 + number * 12, magnitude=7.5, depth=depth)
        for number, depth in enumerate([*depths, None])
    ])
    page = made.open("#event=us00000003").page
    choice = page.get_by_label("Colour of the circles")
    expect(choice).to_have_value("age")
    expect(page.locator("#colour-legend dd")).to_have_text(["Past hour", "Past day", "Past week", "Older"])
    expect(made.row("us00000003").locator(".circle")).to_have_attribute("data-colour", "age-day")
    choice.select_option("depth")
    expect(page.locator("#colour-legend dd")).to_have_text(
        ["Up to 35 km", "Up to 70 km", "Up to 300 km", "Deeper", "Not known"])
    for number, name in enumerate(SCHEMES["depth"]):
        expect(made.row(f"us0000000{number}").locator(".circle")).to_have_attribute("data-colour", name)
    expect(page.locator("#details .badge")).to_have_attribute("data-colour", "depth-more")
    page.get_by_role("button", name="Close the details").click()
    assert violations(page) == []
    page.locator("#legend, #map-controls, .maplibregl-control-container").evaluate_all(
        "(all) => all.forEach((e) => { e.style.visibility = 'hidden'; })")
    page.get_by_role("button", name="Keyboard shortcuts").focus()
    # Land, sea, space, and five colours of circles.
    for _ in range(200):
        found = distinct(colours(page, page.locator("#map")), 30)
        if len(found) >= 7:
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    assert len(found) >= 7, found
    page.locator("#units").click()
    page.get_by_label("Miles").check()
    page.keyboard.press("Escape")
    page.reload()
    expect(choice).to_have_value("depth", timeout=60_000)
    expect(page.locator("#colour-legend dd").first).to_have_text("Up to 22 mi")
    expect(made.row("us00000000").locator(".circle")).to_have_attribute("data-colour", "depth-35")
