// Drawing in SVG, and elements of the page, by one small function each.

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element with attributes and children. */
export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** An element of the page. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Round values from 0 to `end`, about `most` of them, for an axis. */
export function ticks(end, most) {
  const rough = end / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, k) => +(k * step).toPrecision(6));
}

/** Three digits are enough to read. */
export function shortly(value) {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3).replace(/\.?0+$/, '');
}
