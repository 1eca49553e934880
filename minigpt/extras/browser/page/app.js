// The page: which lab, which exercise, which language; and what the buttons do.

import { showArea } from './area.js';
import { redrawBlocks, showBlocks } from './blocks.js';
import { showComparison, showSliders } from './compare.js';
import { makeEditor } from './editor.js';
import { Player } from './player.js';
import { Python, Stopped } from './python.js';
import { showNote, showReport } from './results.js';
import { download, keep, kept } from './store.js';
import { element } from './svg.js';
import { TEXTS } from './texts.js';

const $ = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.hash.slice(1)); // #lab=03&lang=es&exercise=3.2, to link to
const state = {
  language: asked.get('lang') ?? kept('language', navigator.language?.startsWith('es') ? 'es' : 'en'),
  theme: kept('theme', matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'),
  lab: asked.get('lab') ?? kept('lab', '02'), exercise: asked.get('exercise') ?? '',
  settings: { load: 0.7, spread: 4, cap: 8, max_wait_ms: 5 }, hints: {}, content: {}, compared: null, python: ['loading', ''],
};
if (!(state.language in TEXTS)) state.language = 'en';
const text = () => TEXTS[state.language];
const content = () => state.content[state.language];
const lab = () => content().labs[state.lab];
const exercise = () => lab().exercises.find((each) => each.id === state.exercise) ?? lab().exercises[0];
const player = new Player();
let editor, python;

async function start() {
  document.documentElement.dataset.theme = state.theme;
  python = new Python((now, why = '') => {
    state.python = [now, why];
    showState();
    if (now === 'ready') navigator.serviceWorker?.register('sw.js').catch(() => {}); // for the next visit: this one has all it needs
  });
  await loadContent();
  if (!(state.lab in content().labs)) state.lab = '02';
  editor = makeEditor($('editor'), {
    label: text().editor, onChange: (words) => keep(`file.${state.lab}`, words === lab().skeleton ? null : words),
    keys: [{ key: 'Mod-Enter', run: () => { check(exercise().id); return true; } }, { key: 'Shift-Enter', run: () => { run(); return true; } }],
  });
  wire();
  showAll();
  state.compared = content().first.compare;
  showPictures();
}

async function loadContent() {
  state.content[state.language] ??= await (await fetch(`texts.${state.language}.json`)).json();
}

// -- what is shown ------------------------------------------------------------------------------------------------

function showAll() {
  document.documentElement.lang = state.language;
  document.body.dataset.picture = lab().picture;
  document.title = `${text().name}: ${text().lab} ${state.lab}`;
  for (const node of document.querySelectorAll('[data-say]')) node.textContent = text()[node.dataset.say];
  for (const node of document.querySelectorAll('[data-label]')) node.setAttribute('aria-label', text()[node.dataset.label]);
  $('language').textContent = text().other;
  $('language').lang = state.language === 'en' ? 'es' : 'en';
  $('theme').textContent = state.theme === 'dark' ? text().light : text().dark;
  $('labs').replaceChildren(...Object.entries(content().labs).map(([number, each]) => element('button', {
    type: 'button', title: each.title, 'aria-current': number === state.lab && 'page', onclick: () => openLab(number),
  }, `${number} `, element('span', {}, each.title))));
  $('file').textContent = lab().file;
  editor.show(kept(`file.${state.lab}`, lab().skeleton));
  showSliders($('sliders'), state.settings, text(), compare);
  $('own-line').hidden = !isCompared();
  $('own-text').replaceChildren(...inCode(text().ownLoop(loopName())));
  $('scene-title').textContent = text().pictures[lab().picture];
  $('scene-text').textContent = text().scenes[state.lab];
  showExercise();
  showState();
}

const loopName = () => `${lab().policy}_batch_loop`;
const isCompared = () => ['static', 'continuous'].includes(lab().policy); // its loop is one of the two above
const inCode = (words) => words.split('`').map((part, k) => (k % 2 ? element('code', {}, part) : part));

function showExercise() {
  const now = exercise(), passed = kept(`passed.${state.lab}`, []);
  state.exercise = now.id;
  history.replaceState(null, '', `#lab=${state.lab}&exercise=${now.id}&lang=${state.language}`);
  $('exercises').replaceChildren(...lab().exercises.map((each) => element('button', {
    type: 'button', 'aria-current': each.id === now.id && 'step', class: passed.includes(each.id) ? 'passed' : '',
    title: each.title, onclick: () => { state.exercise = each.id; showExercise(); $('text').focus({ preventScroll: true }); },
  }, passed.includes(each.id) ? `✓ ${each.id}` : each.id)));
  $('text').innerHTML = now.html + `<div class="task">${now.task}</div>`;
  $('check').textContent = `${text().check} ${now.id}`;
  editor.find(now.function);
}

function showState() {
  const [now, why] = state.python;
  $('state').textContent = now === 'failed' ? text().failedToStart + why : text()[now];
  $('state').dataset.state = now;
  $('stop').disabled = now !== 'busy';
}

function showPictures() {
  if (state.compared) showComparison($('compare'), $('headline'), state.compared, text(), state.compared.own ? lab().policy : '');
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

// -- what Python does ----------------------------------------------------------------------------------------------

const request = (more) => ({ lab: state.lab, language: state.language, text: editor.text, ...more });
const own = () => ($('own').checked && isCompared() ? lab().policy : '');

async function answered(work) {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Stopped)) showNote($('results'), error.message.trim().split('\n').at(-1) || text().lostAgain, 'bad');
    return null;
  }
}

async function compare() {
  const found = await answered(python.ask('compare', request({ own: own(), settings: { ...state.settings } }), { latest: true }));
  if (!found) return null;
  state.compared = found;
  showComparison($('compare'), $('headline'), found, text(), found.own ? lab().policy : '');
  return found;
}

async function moveBlocks(blocks) {
  const found = await answered(python.ask('blocks', request({ own: '', num_blocks: blocks }), { latest: true }));
  if (found && lab().picture === 'blocks') redrawBlocks($('scene'), found, text());
}

async function run() {
  const wanted = request({ own: lab().policy, num_blocks: content().first.blocks.num_blocks });
  const found = await answered(python.ask(lab().policy ? lab().picture : 'load', wanted));
  if (!found) return;
  $('own').checked = !found.failed && isCompared();
  if (found.failed) {
    showNote($('results'), found.is_missing ? text().ranNoLoop : found.failed, found.is_missing ? 'note-line' : 'bad', found, text());
  } else {
    if (lab().policy) state.scene = found;
    showPicture(state.scene);
    showNote($('results'), lab().policy ? text().ran : text().loads, 'good', found, text());
  }
  if (isCompared()) await compare();
}

async function check(only) {
  const checked = state.lab;
  showNote($('results'), text().checking(only || `${text().lab} ${state.lab}`));
  const report = await answered(python.ask('check', request({ only })));
  if (!report) return;
  const was = kept(`passed.${checked}`, []), ids = new Set(report.checks.map((each) => each.exercise));
  const passed = [...ids].filter((id) => report.checks.every((each) => each.exercise !== id || each.outcome === 'passed'));
  keep(`passed.${checked}`, [...was.filter((id) => !ids.has(id)), ...passed]);
  if (checked !== state.lab) return;
  showReport($('results'), report, text());
  $('results').scrollIntoView({ block: 'nearest' });
  showMarks();
}

function showMarks() {
  const passed = kept(`passed.${state.lab}`, []);
  for (const [k, button] of [...$('exercises').children].entries()) {
    const { id } = lab().exercises[k];
    button.textContent = passed.includes(id) ? `✓ ${id}` : id;
    button.className = passed.includes(id) ? 'passed' : '';
  }
}

function hint() {
  const { id, hints } = exercise();
  const given = Math.min((state.hints[id] ?? 0) + 1, hints.length);
  state.hints[id] = given;
  $('results').innerHTML = `<section class="hints"><h3>${id} · ${text().hintOf(given, hints.length)}</h3>${hints[given - 1]}</section>`;
}

// -- what one clicks -----------------------------------------------------------------------------------------------

function openLab(number) {
  state.lab = number;
  state.exercise = '';
  state.scene = null;
  state.compared = content().first.compare;
  $('own').checked = false;
  keep('lab', number);
  $('results').replaceChildren();
  showAll();
  showPictures();
}

async function chooseLanguage() {
  state.language = state.language === 'en' ? 'es' : 'en';
  keep('language', state.language);
  await loadContent();
  $('results').replaceChildren();
  state.scene = null;
  showAll();
  showPictures();
  if (state.python[0] === 'ready') compare(); // its sentences, in the other language
}

function chooseTheme() {
  state.theme = state.theme === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = state.theme;
  $('theme').textContent = state.theme === 'dark' ? text().light : text().dark;
  keep('theme', state.theme);
}

async function loadFile(input) {
  const [file] = input.files;
  if (!file) return;
  editor.show(await file.text());
  keep(`file.${state.lab}`, editor.text);
  input.value = '';
}

function wire() {
  $('run').onclick = run;
  $('check').onclick = () => check(exercise().id);
  $('check-all').onclick = () => check('');
  $('hint').onclick = hint;
  $('stop').onclick = () => { python.stop(); showNote($('results'), text().stopped); };
  $('download').onclick = () => download(lab().file, editor.text);
  $('load').onchange = (event) => loadFile(event.target);
  $('reset').onclick = () => { if (confirm(text().resetAsk)) { keep(`file.${state.lab}`, null); showAll(); } };
  $('own').onchange = compare;
  $('language').onclick = chooseLanguage;
  $('theme').onclick = chooseTheme;
  let resized;
  addEventListener('resize', () => { clearTimeout(resized); resized = setTimeout(showPictures, 150); });
}

start();
