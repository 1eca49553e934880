// What the checks said, check by check, as `make grade` says it.

import { element } from './svg.js';

/** A report (tests/grader/report.py, as JSON) under its exercises. */
export function showReport(place, report, text) {
  const byExercise = Map.groupBy ? Map.groupBy(report.checks, (check) => check.exercise) : grouped(report.checks);
  place.replaceChildren(...[...byExercise].map(([id, checks]) => exercise(id, checks, text)),
    ...(report.for_the_notebook ? [element('p', { class: 'note' }, text.forTheNotebook(report.for_the_notebook))] : []), ...printed(report, text));
}

/** A line or two in the place of a report. */
export function showNote(place, words, kind = "note-line", report = null, text = null) {
  place.replaceChildren(element('p', { class: kind }, words), ...(report ? printed(report, text) : []));
}

function grouped(checks) {
  const found = new Map();
  for (const check of checks) found.set(check.exercise, [...(found.get(check.exercise) ?? []), check]);
  return found;
}

function exercise(id, checks, text) {
  const got = checks.reduce((sum, check) => sum + check.points, 0), most = checks.reduce((sum, check) => sum + check.max_points, 0);
  const points = most ? text.points(got, most) : text.stretch;
  const told = new Set();
  return element('section', { class: 'report', 'data-exercise': id },
    element('h3', {}, id, element('span', { class: 'points' }, points)),
    element('ul', {}, ...checks.map((check) => line(check, text, told))));
}

function line(check, text, told) {
  const hint = check.hint && !told.has(check.hint) ? check.hint : '';
  told.add(check.hint);
  const isShown = check.outcome !== 'passed' && check.outcome !== 'not_implemented';
  const values = isShown && check.got !== null ? element('p', { class: 'values' },
    ...(check.outcome === 'wrong' ? [`${text.expected} `, element('code', {}, `${check.expected}`), `, ${text.got} `] : []),
    element('code', {}, check.got)) : null;
  return element('li', { class: check.outcome, 'data-check': check.id, 'data-outcome': check.outcome },
    element('span', { class: 'outcome' }, text.outcomes[check.outcome]), element('span', { class: 'title' }, check.title),
    values, hint ? element('p', { class: 'hint' }, hint) : null);
}

function printed(report, text) {
  if (!report.printed) return [];
  const more = report.left_out ? [element('p', { class: 'note' }, `… ${report.left_out} ${text.more}`)] : [];
  return [element('section', { class: 'printed' }, element('h3', {}, text.printed), element('pre', { tabindex: 0 }, report.printed), ...more)];
}
