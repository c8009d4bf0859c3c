// Map tiles under a map by latitude and longitude, from where the server was told; by default none.

const SIDE = 256; // pixels of a tile
const WORLD = 360; // its width in the map's degrees
const DEEPEST = 19;

let source = null;

/** Says where tiles are: `tiles` is an address with {z}, {x} and {y}, or null. */
export function useTiles({ tiles, attribution }) {
  source = tiles ? { template: tiles, attribution } : null;
}

/** What is to be said of the tiles; null where there are none. */
export const attribution = () => source && source.attribution;

/** Fills the group with the tiles in sight; `place` puts a Mercator place on the drawing, `look` undoes it. */
export function drawTiles(group, { place, look, size, pixel }) {
  if (!source) return;
  const unit = place([1, 0])[0] - place([0, 0])[0];
  const depth = Math.min(DEEPEST, Math.max(0, Math.round(Math.log2((WORLD * unit * pixel) / SIDE))));
  const count = 2 ** depth;
  const side = WORLD / count;
  const [west, north] = look([0, 0]);
  const [east, south] = look(size);
  const wanted = new Map();
  for (let row = clipped((WORLD / 2 - north) / side, count); row <= clipped((WORLD / 2 - south) / side, count); row += 1) {
    for (let column = Math.floor((west + WORLD / 2) / side); column <= (east + WORLD / 2) / side; column += 1) {
      wanted.set(`${depth}/${column}/${row}`, place([column * side - WORLD / 2, WORLD / 2 - row * side]));
    }
  }
  for (const image of [...group.children]) if (!wanted.has(image.dataset.tile)) image.remove();
  for (const [name, [x, y]] of wanted) put(group, name, { x, y, width: side * unit + 0.5, height: side * unit + 0.5 });
}

const clipped = (row, count) => Math.min(count - 1, Math.max(0, Math.floor(row)));

function put(group, name, box) {
  let image = group.querySelector(`[data-tile="${name}"]`);
  if (!image) {
    image = document.createElementNS("http://www.w3.org/2000/svg", "image");
    image.dataset.tile = name;
    const [z, column, y] = name.split("/").map(Number);
    const x = ((column % 2 ** z) + 2 ** z) % 2 ** z; // around the world
    image.setAttribute("href", source.template.replace("{z}", z).replace("{x}", x).replace("{y}", y));
    group.append(image);
  }
  for (const [key, value] of Object.entries(box)) image.setAttribute(key, value.toFixed(2));
}
