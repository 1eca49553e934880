// Slot timelines: which request is in which slot when, and below it those that wait. The numbers come from figures.py.

import { draw, element, shortly, ticks } from './svg.js';

const LEFT = 58, RIGHT = 10, GAP = 10, STRIP = 40, AXIS = 30;
const SHADES = 3; // neighbours in a slot must be told apart

/** A timeline as a figure; `run` is what `drawn` gives, `now` the moment up to which something has happened. */
export function timeline(run, text, { width, title = '', axis = true, now = run.end_ms, endMs = run.end_ms, most = null }) {
  const row = run.slots > 10 ? 12 : run.slots > 4 ? 16 : 24;
  const slots = run.slots * row;
  const height = slots + GAP + STRIP + (axis ? AXIS : 6);
  const x = (ms) => LEFT + (Math.min(ms, now) / endMs) * (width - LEFT - RIGHT);
  const svg = draw('svg', {
    viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': `${title ? `${title}. ` : ''}${run.sentence}`,
  });
  svg.append(hatch(), ...seatRows(run, x, row, text), ...run.spans.flatMap((span) => stay(span, x, row, now)));
  svg.append(...strip(run, x, slots + GAP, now, text, most));
  if (now < run.end_ms) svg.append(draw('line', { class: 'now', x1: x(now), x2: x(now), y1: 0, y2: slots + GAP + STRIP }));
  if (axis) svg.append(...timeAxis(endMs, (ms) => LEFT + (ms / endMs) * (width - LEFT - RIGHT), slots + GAP + STRIP, width, text));
  return svg;
}

/** What the colours mean, for all timelines of a section. */
export function key(text) {
  return element('ul', { class: 'key' }, ...Object.entries(text.key).map(([name, words]) => (
    element('li', {}, element('span', { class: `swatch ${name}`, 'aria-hidden': 'true' }), words))));
}

/** The most that ever wait, so that strips can be compared. */
export const mostWaiting = (run) => Math.max(1, ...run.waiting.map(([, queue, forming]) => queue + forming));

function hatch() {
  return draw('defs', {}, draw('pattern', { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    draw('rect', { class: 'held', width: 6, height: 6 }), draw('line', { class: 'hatching', x1: 0, y1: 0, x2: 0, y2: 6 })));
}

function seatRows(run, x, row, text) {
  const every = run.slots > 10 ? 4 : 1;
  return Array.from({ length: run.slots }, (_, slot) => draw('g', {},
    draw('rect', { class: 'empty', x: LEFT, y: slot * row + 1, width: Math.max(x(run.end_ms) - LEFT, 0), height: row - 2 }),
    (slot + 1) % every && slot ? null
      : draw('text', { class: 'tick', x: LEFT - 6, y: slot * row + row / 2, 'text-anchor': 'end' }, slot ? `${slot + 1}` : `${text.slot} 1`)));
}

function stay([slot, name, start, prefill, useful, end], x, row, now) {
  if (start >= now) return [];
  const y = slot * row + 1;
  const bar = (from, to, attributes) => (x(to) - x(from) > 0
    ? draw('rect', { x: x(from), y, width: Math.max(x(to) - x(from) - 0.6, 0.4), height: row - 2, ...attributes }) : null);
  const shade = typeof name === 'number' ? name % SHADES : name.charCodeAt(0) % SHADES;
  const fits = x(useful) - x(prefill) > 8 * `${name}`.length + 2 && row > 12;
  return [
    bar(start, useful, { class: `useful shade${shade}` }),
    bar(start, Math.min(prefill, useful), { class: 'prefill' }),
    bar(useful, end, { fill: 'url(#hatch)' }),
    fits ? draw('text', { class: 'name', x: (x(prefill) + x(useful)) / 2, y: y + row / 2 - 0.5, 'text-anchor': 'middle' }, `${name}`) : null,
  ].filter(Boolean);
}

function strip(run, x, top, now, text, most) {
  const high = most ?? mostWaiting(run);
  const y = (count) => top + STRIP - (count / high) * (STRIP - 4);
  const points = run.waiting.filter(([ms]) => ms <= now);
  const area = (count) => {
    let path = `M ${x(0)} ${y(0)}`, last = 0;
    for (const point of points) {
      path += ` L ${x(point[0])} ${y(last)} L ${x(point[0])} ${y(count(point))}`;
      last = count(point);
    }
    return `${path} L ${x(run.end_ms)} ${y(last)} L ${x(run.end_ms)} ${y(0)} Z`;
  };
  return [
    draw('path', { class: 'forming', d: area(([, queue, forming]) => queue + forming) }),
    draw('path', { class: 'queue', d: area(([, queue]) => queue) }),
    draw('line', { class: 'base', x1: LEFT, x2: x(run.end_ms), y1: y(0), y2: y(0) }),
    draw('text', { class: 'tick', x: LEFT - 6, y: y(high), 'text-anchor': 'end' }, `${high}`),
    draw('text', { class: 'tick', x: LEFT - 6, y: top + STRIP - 6, 'text-anchor': 'end' }, text.waiting),
  ];
}

function timeAxis(endMs, x, top, width, text) {
  const marks = ticks(endMs, width < 420 ? 4 : 8).flatMap((ms) => [
    draw('line', { class: 'base', x1: x(ms), x2: x(ms), y1: top, y2: top + 4 }),
    draw('text', { class: 'tick', x: x(ms), y: top + 13, 'text-anchor': 'middle' }, shortly0(ms)),
  ]);
  return [...marks, draw('text', { class: 'tick', x: width - RIGHT, y: top + 25, 'text-anchor': 'end' }, text.time)];
}

const shortly0 = (ms) => (ms ? shortly(ms) : '0');
