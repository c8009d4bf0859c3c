// The text of a spreadsheet's export: decoded the same as in hcvrp.formats.encoding.

const MARKS = [["utf-16le", 0xff, 0xfe], ["utf-16be", 0xfe, 0xff]];
const SAMPLE = 1024; // so many bytes tell UTF-16 without a mark

/** UTF-8 or UTF-16, with or without a byte order mark, else Windows-1252. */
export function decoded(buffer) {
  const bytes = new Uint8Array(buffer);
  const marked = MARKS.find(([, ...mark]) => mark.every((byte, k) => bytes[k] === byte));
  const encoding = marked ? marked[0] : wide(bytes.subarray(0, SAMPLE));
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** UTF-16 if one half of the bytes is mostly zero and the other never. */
function wide(sample) {
  const [low, high] = [0, 1].map((half) => sample.filter((byte, k) => k % 2 === half && byte === 0).length);
  if (Math.min(low, high) > 0 || Math.max(low, high) < Math.floor(sample.length / 4)) return null;
  return high > low ? "utf-16le" : low > high ? "utf-16be" : null;
}
