// Lab 05: who holds which block of the KV memory, and how full the blocks are.

import { draw, element, shortly, ticks } from './svg.js';

const LEFT = 58, RIGHT = 10, GAP = 12, USE = 60, AXIS = 30, HUES = 8;

/** The block map with its slider, in `place`; `onMove(blocks)` is called when the slider has moved. */
export function showBlocks(place, found, text, onMove) {
  const slider = element('input', { type: 'range', id: 'slide-blocks', min: 12, max: 64, step: 4, oninput: () => {
    output.textContent = slider.value;
    onMove(Number(slider.value));
  } });
  slider.value = found.num_blocks;
  const output = element('output', { for: 'slide-blocks' }, `${found.num_blocks}`);
  const figure = element('figure', {});
  place.replaceChildren(element('div', { class: 'slider' }, element('label', { for: 'slide-blocks' }, text.blocks), output, slider), figure);
  redrawBlocks(place, found, text);
}

/** The same slider, another picture. */
export function redrawBlocks(place, found, text) {
  const names = ['num_preemptions', 'most_running', 'waste_percent'];
  place.querySelector('figure').replaceChildren(
    element('figcaption', {}, element('dl', {}, ...names.map((name) => element('div', {}, element('dt', {}, text.memory[name]),
      element('dd', { 'data-figure': name, 'data-value': found[name] }, name === 'waste_percent' ? `${shortly(found[name])} %` : `${found[name]}`))))),
    picture(found, text, Math.max(300, place.clientWidth)),
    element('ul', { class: 'key' }, ...[['useful', text.stored], ['plain', text.heldEmpty]].map(([name, words]) => (
      element('li', {}, element('span', { class: `swatch ${name}`, 'aria-hidden': 'true' }), words))), element('li', {}, `▼ ${text.preempted}`)));
}

function picture(found, text, width) {
  const row = Math.max(4, Math.min(11, Math.floor(340 / found.num_blocks))), top = 12;
  const below = top + found.num_blocks * row + GAP, bottom = below + USE;
  const x = (ms) => LEFT + (Math.min(ms, found.end_ms) / found.end_ms) * (width - LEFT - RIGHT);
  const places = found.num_blocks * found.block_size, y = (tokens) => bottom - (tokens / places) * (USE - 4);
  const svg = draw('svg', { viewBox: `0 0 ${width} ${bottom + AXIS}`, width, height: bottom + AXIS, role: 'img', 'aria-label': found.sentence });
  svg.append(draw('rect', { class: 'empty', x: LEFT, y: top, width: width - LEFT - RIGHT, height: found.num_blocks * row }));
  for (const [block, request, start, end] of found.stays) {
    svg.append(draw('rect', { class: `hue${request % HUES}`, x: x(start), y: top + block * row + 0.4,
      width: Math.max(x(end) - x(start) - 0.4, 0.4), height: row - 0.8 }));
  }
  for (const [ms] of found.preemptions) svg.append(draw('path', { class: 'mark', d: `M ${x(ms) - 4} 2 h 8 l -4 8 z` }));
  svg.append(...bars(found.use, x, y, bottom),
    draw('line', { class: 'base', x1: LEFT, x2: width - RIGHT, y1: bottom, y2: bottom }),
    draw('text', { class: 'tick', x: LEFT - 6, y: top + 6, 'text-anchor': 'end' }, text.block),
    draw('text', { class: 'tick', x: LEFT - 6, y: y(places) + 4, 'text-anchor': 'end' }, `${places}`),
    draw('text', { class: 'tick', x: LEFT - 6, y: bottom - 8, 'text-anchor': 'end' }, 'tokens'),
    ...ticks(found.end_ms, 6).map((ms) => draw('text', { class: 'tick', x: x(ms), y: bottom + 12, 'text-anchor': 'middle' }, `${ms}`)),
    draw('text', { class: 'tick', x: width - RIGHT, y: bottom + 25, 'text-anchor': 'end' }, text.time));
  return svg;
}

function bars(use, x, y, bottom) {
  return use.flatMap(([ms, held, stored], k) => {
    const start = x(k ? use[k - 1][0] : 0), width = Math.max(x(ms) - start, 0);
    return [draw('rect', { class: 'held', x: start, y: y(held), width, height: bottom - y(held) }),
      draw('rect', { class: 'useful shade0', x: start, y: y(stored), width, height: bottom - y(stored) })];
  });
}
