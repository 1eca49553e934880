// Little's law: one area, counted by rows (stays) and by columns (how many are inside).

import { draw, element, shortly, ticks } from './svg.js';

const LEFT = 58, RIGHT = 10, ROW = 24, GAP = 16, INSIDE = 90, AXIS = 30;

/** The picture and its three means, in `place`. */
export function showArea(place, area, text) {
  const width = Math.max(300, place.clientWidth), rows = area.rows.length * ROW;
  const x = (ms) => LEFT + (ms / area.end_ms) * (width - LEFT - RIGHT);
  const most = Math.max(...area.inside.map(([, count]) => count));
  const bottom = rows + GAP + INSIDE, y = (count) => bottom - (count / most) * (INSIDE - 6);
  const svg = draw('svg', { viewBox: `0 0 ${width} ${bottom + AXIS}`, width, height: bottom + AXIS, role: 'img', 'aria-label': area.sentence });
  area.rows.forEach(([name, arrival, admitted, finish], k) => svg.append(
    draw('text', { class: 'tick', x: LEFT - 6, y: k * ROW + ROW / 2, 'text-anchor': 'end' }, name),
    draw('rect', { class: 'queue', x: x(arrival), y: k * ROW + 2, width: x(admitted) - x(arrival), height: ROW - 4 }),
    draw('rect', { class: 'useful shade0', x: x(admitted), y: k * ROW + 2, width: x(finish) - x(admitted), height: ROW - 4 })));
  area.inside.forEach(([ms, count], k) => {
    const end = area.inside[k + 1]?.[0] ?? area.end_ms;
    svg.append(draw('rect', { class: 'held', x: x(ms), y: y(count), width: x(end) - x(ms), height: bottom - y(count) }));
  });
  svg.append(draw('line', { class: 'base', x1: LEFT, x2: width - RIGHT, y1: bottom, y2: bottom }),
    draw('line', { class: 'now', x1: LEFT, x2: width - RIGHT, y1: y(area.mean_inside), y2: y(area.mean_inside), 'stroke-dasharray': '5 4' }),
    draw('text', { class: 'tick', x: LEFT - 6, y: y(area.mean_inside), 'text-anchor': 'end' }, `L = ${shortly(area.mean_inside)}`),
    draw('text', { class: 'tick', x: LEFT - 6, y: bottom - 8, 'text-anchor': 'end' }, text.inside),
    ...ticks(area.end_ms, 8).map((ms) => draw('text', { class: 'tick', x: x(ms), y: bottom + 12, 'text-anchor': 'middle' }, `${ms}`)),
    draw('text', { class: 'tick', x: width - RIGHT, y: bottom + 25, 'text-anchor': 'end' }, text.time));
  const law = `λ = ${shortly(area.rate_per_ms)}, W = ${shortly(area.stay_ms)}, λ·W = ${shortly(area.rate_per_ms * area.stay_ms)} = L`;
  place.replaceChildren(element('p', {}, element('strong', {}, law)), element('figure', {}, svg), element('ul', { class: 'key' },
    ...[['useful', text.inFlight], ['queue', text.key.queue], ['held', text.inside]].map(([name, words]) => (
      element('li', {}, element('span', { class: `swatch ${name === 'held' ? 'plain' : name}`, 'aria-hidden': 'true' }), words)))));
}
