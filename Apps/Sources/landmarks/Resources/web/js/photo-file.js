/**
 * Photos as they are kept and sent: drawn anew as JPEG, within a limit of size. Data that a camera wrote into the file
 * beside the picture, such as the place, aren't in it.
 */

/** The length of the longer side, in pixels. */
const LONGEST_SIDE = 2_048;
const QUALITY = 0.85;

/**
 * @param {Blob} file an image of any form that the browser shows
 * @returns {Promise<Blob>} rejects for another file
 */
export async function scaled(file) {
  const image = await createImageBitmap(file);
  try {
    const factor = Math.min(1, LONGEST_SIDE / Math.max(image.width, image.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(image.width * factor));
    canvas.height = Math.max(1, Math.round(image.height * factor));
    const context = canvas.getContext("2d");
    if (!context) throw new Error("The browser draws nothing.");
    // JPEG has no transparency.
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser made no JPEG."))),
        "image/jpeg", QUALITY);
    });
  } finally {
    image.close();
  }
}
