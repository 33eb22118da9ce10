"""Checks of accessibility and of colours that the tests of both pages share."""

import base64

from axe_playwright_python.sync_playwright import Axe

#: The greatest difference of a channel between two colours of which a person sees one only.
ALIKE = 24


def violations(page):
    """What axe finds on a page: rules with the elements that break them."""
    found = Axe().run(page).response["violations"]
    return [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found]


def colours(page, locator):
    """The colours of an element's pixels with their counts, from a screenshot."""
    picture = base64.b64encode(locator.screenshot(type="png")).decode()
    return page.evaluate(
        """async (picture) => {
          const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const { width, height } = image;
          const pen = new OffscreenCanvas(width, height).getContext("2d");
          pen.drawImage(image, 0, 0);
          const { data } = pen.getImageData(0, 0, width, height);
          const counts = new Map();
          for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
          // A pixel's bytes are red, green, blue and opacity; numbers have the lowest byte first.
          const name = (pixel) => [pixel, pixel >> 8, pixel >> 16].map((part) => part & 255).join();
          return Object.fromEntries([...counts].map(([pixel, count]) => [name(pixel), count]));
        }""", picture)


def background(locator):
    """The colour that most of an element has. Its style tells the page's colour, not the one that is painted."""
    counts = colours(locator.page, locator)
    return max(counts, key=counts.get)


def distinct(counts, least):
    """The colours with at least so many pixels, without those that look alike."""
    kept = []
    for name, number in sorted(counts.items(), key=lambda item: -item[1]):
        colour = [int(part) for part in name.split(",")]
        if number >= least and all(
            max(abs(a - b) for a, b in zip(colour, other)) > ALIKE for other in kept
        ):
            kept.append(colour)
    return kept
