// What Python does for the page: checks, runs and figures; and how its answers are shown.

import { showArea } from './area.js';
import { redrawBlocks, showBlocks } from './blocks.js';
import { showComparison } from './compare.js';
import { Player } from './player.js';
import { Stopped } from './python.js';
import { showNote, showReport } from './results.js';
import { $, content, exercise, isCompared, lab, state, text } from './state.js';
import { keep, kept } from './store.js';

const player = new Player();

// -- pictures -----------------------------------------------------------------------------------------------------

export function showPictures() {
  if (state.compared) showBoth();
  showPicture(state.scene);
}

/** The lab's own picture, of the student's run or of the given one. */
function showPicture(found) {
  const { scene, area, blocks } = content().first;
  player.pause();
  if (lab().picture === 'scene') player.show($('scene'), found ?? scene[state.lab], text(), text().pictures.scene);
  else if (lab().picture === 'area') showArea($('scene'), found ?? area, text());
  else showBlocks($('scene'), found ?? blocks, text(), moveBlocks);
}

function showBoth() {
  showComparison($('compare'), $('headline'), state.compared, text(), state.compared.own ? lab().policy : '');
}

// -- questions ----------------------------------------------------------------------------------------------------

const request = (more) => ({ lab: state.lab, language: state.language, text: state.editor.text, ...more });
const own = () => ($('own').checked && isCompared() ? lab().policy : '');

async function answered(work) {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Stopped)) showNote($('results'), error.message.trim().split('\n').at(-1) || text().lostAgain, 'bad');
    return null;
  }
}

export async function compare() {
  const found = await answered(state.python.ask('compare', request({ own: own(), settings: { ...state.settings } }), { latest: true }));
  if (!found) return;
  if (found.failed) {
    $('own').checked = false;
    showFailure(found);
  }
  state.compared = found;
  showBoth();
}

function showFailure(found) {
  showNote($('results'), found.is_missing ? text().ranNoLoop : found.failed, found.is_missing ? 'note-line' : 'bad', found, text());
}

async function moveBlocks(blocks) {
  const found = await answered(state.python.ask('blocks', request({ own: '', num_blocks: blocks }), { latest: true }));
  if (found && lab().picture === 'blocks') redrawBlocks($('scene'), found, text());
}

export async function run() {
  const wanted = request({ own: lab().policy, num_blocks: content().first.blocks.num_blocks });
  const found = await answered(state.python.ask(lab().policy ? lab().picture : 'load', wanted));
  if (!found) return;
  $('own').checked = !found.failed && isCompared();
  if (found.failed) {
    showFailure(found);
  } else {
    if (lab().policy) state.scene = found;
    showPicture(state.scene);
    showNote($('results'), lab().policy ? text().ran : text().loads, 'good', found, text());
  }
  if (isCompared()) await compare();
}

export async function check(only) {
  const checked = state.lab, words = text().checking(only || `${text().lab} ${state.lab}`);
  let done = '';
  showNote($('results'), words);
  const report = await answered(state.python.ask('check', request({ only }), { onTold: (told) => {
    if (!told.check) return;
    done += told.outcome === 'passed' ? '✓' : '·';
    showNote($('results'), `${words} ${done}`);
  } }));
  if (!report) return;
  const was = kept(`passed.${checked}`, []), ids = new Set(report.checks.map((each) => each.exercise));
  const passed = [...ids].filter((id) => report.checks.every((each) => each.exercise !== id || each.outcome === 'passed'));
  keep(`passed.${checked}`, [...was.filter((id) => !ids.has(id)), ...passed]);
  if (checked !== state.lab) return;
  showReport($('results'), report, text());
  $('results').scrollIntoView({ block: 'nearest' });
  showMarks();
}

export function showMarks() {
  const passed = kept(`passed.${state.lab}`, []);
  for (const [k, button] of [...$('exercises').children].entries()) {
    const { id } = lab().exercises[k];
    button.textContent = passed.includes(id) ? `✓ ${id}` : id;
    button.className = passed.includes(id) ? 'passed' : '';
  }
}

export function hint() {
  const { id, hints } = exercise();
  const given = Math.min((state.hints[id] ?? 0) + 1, hints.length);
  state.hints[id] = given;
  $('results').innerHTML = `<section class="hints"><h3>${id} · ${text().hintOf(given, hints.length)}</h3>${hints[given - 1]}</section>`;
}
