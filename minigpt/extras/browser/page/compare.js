// The same requests on two servers, under the sliders: two timelines, and their figures side by side.

import { element, shortly } from './svg.js';
import { key, mostWaiting, timeline } from './timeline.js';

const RANGES = {
  load: { min: 0.1, max: 0.95, step: 0.05 }, spread: { min: 0, max: 4, step: 1 }, cap: { min: 1, max: 16, step: 1 },
  max_wait_ms: { min: 0, max: 80, step: 5 },
};
const POLICIES = ['static', 'continuous'];

/** The sliders; `onMove` is called when one has moved. */
export function showSliders(place, settings, text, onMove) {
  place.replaceChildren(...Object.entries(RANGES).map(([name, range]) => {
    const [label, words] = text.sliders[name];
    const output = element('output', { for: `slide-${name}` }, words(settings[name]));
    const input = element('input', { type: 'range', id: `slide-${name}`, ...range, 'aria-valuetext': words(settings[name]), oninput: () => {
      settings[name] = Number(input.value);
      output.textContent = words(settings[name]);
      input.setAttribute('aria-valuetext', words(settings[name]));
      onMove();
    } });
    input.value = settings[name];
    return element('div', { class: 'slider' }, element('label', { for: `slide-${name}` }, label), output, input);
  }));
}

/** Both timelines and the figures. */
export function showComparison(place, headline, found, text, own) {
  const width = Math.max(300, place.clientWidth);
  const endMs = Math.max(...POLICIES.map((policy) => found[policy].end_ms));
  const most = Math.max(...POLICIES.map((policy) => mostWaiting(found[policy])));
  headline.replaceChildren(element('strong', {}, gain(found.p95_reduction_percent, text)));
  place.replaceChildren(...POLICIES.map((policy) => {
    const title = text[policy] + (policy === own ? ` (${text.own})` : '');
    return element('figure', { class: policy },
      element('figcaption', {}, element('h3', {}, title), figures(found[policy].figures, text, policy)),
      timeline(found[policy], text, { width, title, endMs, most }));
  }), key(text));
}

function gain(percent, text) {
  if (percent === null) return text.unknown;
  const rounded = Math.round(Math.abs(percent));
  if (!rounded) return text.same;
  return percent > 0 ? text.falls(rounded) : text.rises(rounded);
}

function figures(values, text, policy) {
  return element('dl', {}, ...Object.keys(text.figures).map((name) => element('div', {},
    element('dt', {}, text.figures[name]),
    element('dd', { 'data-figure': `${policy}.${name}`, 'data-value': values[name] },
      values[name] === null ? '–' : `${shortly(values[name])} ${text.units[name]}`))));
}
