import { byId, element } from "./dom.js";

// SVG is a document, so it is shown as the text that it is.
const types = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const maxBytes = 5 << 20;

let url = "";

/** showPicture shows a picture of a known type; other bytes, and null, take it away. */
export function showPicture(bytes, contentType = "") {
  const place = byId("picture");
  place.replaceChildren();
  place.hidden = true;
  URL.revokeObjectURL(url);
  const type = contentType.split(";")[0].trim().toLowerCase();
  if (!bytes?.length || bytes.length > maxBytes || !types.has(type)) return;
  url = URL.createObjectURL(new Blob([bytes], { type }));
  const image = element("img", { src: url, alt: "The picture of the answer" });
  image.addEventListener("load", () => { place.hidden = false; });
  image.addEventListener("error", () => image.remove());
  place.append(image);
}
