"""Checks of accessibility and of colours that the tests of both pages share."""

import base64

from axe_playwright_python.base import AXE_SCRIPT

#: The greatest difference of a channel between two colours of which a person sees one only.
ALIKE = 24

#: Contrast of every visible text against the first opaque background under it (WCAG 2.2, 1.4.3).
CONTRAST = """() => {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (css) => {
    if (!known.has(css)) {
      probe.clearRect(0, 0, 1, 1);
      probe.fillStyle = css;
      probe.fillRect(0, 0, 1, 1);
      known.set(css, [...probe.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(css);
  };
  const luminance = ([r, g, b]) => [r, g, b]
    .map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 200) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim()) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.closest(".hidden, .skip, option")) continue;
    const [a, b] = [rgba(getComputedStyle(element).color), background(element)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${node.textContent.trim().slice(0, 40)}`);
  }
  return poor;
}"""


def violations(page):
    """The findings of axe on a page: rules with the elements that break them."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("""async () => {
      const { violations } = await axe.run({ resultTypes: ["violations"] });
      return violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]);
    }""")
    return [(rule, targets) for rule, targets in found]


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


#: A window of 1280 × 1024 pixels at 200 and 400 per cent (WCAG 2.2, 1.4.4 and 1.4.10).
ENLARGED = {
    "200 %": {"viewport": {"width": 640, "height": 512}, "device_scale_factor": 2},
    "400 %": {"viewport": {"width": 320, "height": 256}, "device_scale_factor": 4},
}


def beyond_the_edge(page):
    """The elements to act on that are cut off at the sides of a window and can't be scrolled to, and the page itself
    when it scrolls sideways."""
    return page.evaluate("""() => {
      const root = document.documentElement;
      const found = root.scrollWidth > innerWidth ? ["the page"] : [];
      const scrolls = (element) => {
        for (let at = element.parentElement; at; at = at.parentElement) {
          if (at.scrollWidth > at.clientWidth && /auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
        }
        return false;
      };
      for (const element of document.querySelectorAll("button, input, select, textarea, a[href]")) {
        if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        const { left, right, width, height } = element.getBoundingClientRect();
        if (width < 2 || height < 2 || element.closest(".hidden, .skip, .maplibregl-map")) continue;
        if ((left < -1 || right > innerWidth + 1) && !scrolls(element)) found.push(element.outerHTML.slice(0, 120));
      }
      return found;
    }""")
