/** Creates elements from data. Text is never parsed as HTML. */

const SVG = "http://www.w3.org/2000/svg";
const HEART = "M10 16.6S3 12.5 3 7.7C3 5.3 4.8 3.8 6.7 3.8c1.4 0 2.7.8 3.3 2 .6-1.2"
  + " 1.9-2 3.3-2 1.9 0 3.7 1.5 3.7 3.9 0 4.8-7 8.9-7 8.9z";
const SCENES = new Set([
  "lakes", "rivers", "mountains", "canyons", "coasts", "forests", "deserts", "caves", "monuments",
]);

/**
 * An element with attributes and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string | null)[]} children null for none
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) if (child !== null) made.append(child);
  return made;
}

/**
 * A link to something on the page. A click keeps the list; other means open the address elsewhere or copy it.
 * @param {string} href
 * @param {string} text
 * @param {() => void} go
 */
export function link(href, text, go) {
  const made = element("a", { href, class: "link" }, text);
  made.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go();
  });
  return made;
}

/**
 * The button that marks a landmark.
 * @param {Landmark} landmark
 * @param {() => void} toggle
 */
export function heart(landmark, toggle) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", HEART);
  svg.append(path);
  const button = element("button", {
    type: "button", class: "heart",
  }, svg);
  showHeart(button, landmark);
  button.addEventListener("click", toggle);
  return button;
}

/**
 * How far the last change of a mark has come: its name in the style sheet, and in words.
 * @param {Landmark} landmark
 */
function progress({ isUnstored, isKept, isQuiet, isRefused, refusal, isWaiting }) {
  if (isUnstored) return ["unstored", "not stored yet"];
  if (isKept && !isQuiet) return ["kept", "kept in this browser"];
  if (isRefused) return ["refused", "the last change was refused"];
  if (refusal) return ["refused", "refused by the server"];
  return isWaiting ? ["waiting", "waiting to be sent"] : ["", ""];
}

/**
 * Shows on a heart whether the landmark is a favorite, and how far that has come.
 * @param {HTMLElement} button
 * @param {Landmark} landmark
 */
export function showHeart(button, landmark) {
  const [state, words] = progress(landmark);
  button.ariaPressed = String(landmark.isFavorite);
  button.classList.toggle("unstored", state === "unstored");
  button.dataset.state = state;
  button.setAttribute("aria-label", `Favorite: ${landmark.name}${words && ` (${words})`}`);
  button.title = words && words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * An identifier (RFC 9562, version 7): a time, then random bits. `crypto.randomUUID` is missing outside
 * of localhost and TLS.
 */
export function uuid(time = Date.now()) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let place = 5, rest = time; place >= 0; place -= 1) {
    bytes[place] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const text = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
  return text.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

/**
 * The class of a landmark's picture, which the style sheet draws.
 * @param {Landmark} landmark
 */
export const sceneClass = (landmark) =>
  SCENES.has(landmark.category) ? `scene-${landmark.category}` : "scene-lakes";

/**
 * Shows why a form's edit isn't made, where it can be seen; null takes the last reason away.
 * @param {HTMLElement} place
 * @param {string | null} reason
 */
export function tell(place, reason) {
  place.hidden = reason === null;
  place.textContent = reason ?? "";
  if (reason !== null) place.scrollIntoView({ block: "nearest" });
}
