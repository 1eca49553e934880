// The page: which lab, which exercise, which language; and what the buttons do.

import { showSliders } from './compare.js';
import { makeEditor } from './editor.js';
import { Python } from './python.js';
import { showNote } from './results.js';
import { $, content, exercise, isCompared, lab, loadContent, loopName, state, text } from './state.js';
import { download, keep, kept } from './store.js';
import { element } from './svg.js';
import { check, compare, hint, run, showMarks, showPictures } from './work.js';

async function start() {
  document.documentElement.dataset.theme = state.theme;
  state.python = new Python((now, why = '') => {
    state.pythonIs = [now, why];
    showState();
    if (now === 'ready') navigator.serviceWorker?.register('sw.js').catch(() => {}); // for the next visit: this one has all it needs
  });
  await loadContent();
  if (!(state.lab in content().labs)) state.lab = '02';
  state.editor = makeEditor($('editor'), {
    label: () => text().editor, onChange: (words) => keep(`file.${state.lab}`, words === lab().skeleton ? null : words),
    keys: [{ key: 'Mod-Enter', run: () => { check(exercise().id); return true; } }, { key: 'Shift-Enter', run: () => { run(); return true; } }],
  });
  wire();
  showAll();
  state.compared = content().first.compare;
  showPictures();
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
  state.editor.show(kept(`file.${state.lab}`, lab().skeleton));
  showSliders($('sliders'), state.settings, text(), compare);
  $('own-line').hidden = !isCompared();
  $('own-text').replaceChildren(...inCode(text().ownLoop(loopName())));
  $('scene-title').textContent = text().pictures[lab().picture];
  $('scene-text').textContent = text().scenes[state.lab];
  showExercise();
  showState();
}

const inCode = (words) => words.split('`').map((part, k) => (k % 2 ? element('code', {}, part) : part));

function showExercise() {
  const now = exercise();
  state.exercise = now.id;
  history.replaceState(null, '', `#lab=${state.lab}&exercise=${now.id}&lang=${state.language}`);
  $('exercises').replaceChildren(...lab().exercises.map((each) => element('button', {
    type: 'button', 'aria-current': each.id === now.id && 'step', title: each.title,
    onclick: () => { state.exercise = each.id; showExercise(); $('text').focus({ preventScroll: true }); },
  }, each.id)));
  showMarks();
  $('text').innerHTML = now.html + `<div class="task">${now.task}</div>`;
  $('check').textContent = `${text().check} ${now.id}`;
  state.editor.find(now.function);
}

function showState() {
  const [now, why] = state.pythonIs;
  $('state').textContent = now === 'failed' ? text().failedToStart + why : text()[now];
  $('state').dataset.state = now;
  $('stop').disabled = now !== 'busy';
}

// -- what one clicks -----------------------------------------------------------------------------------------------

function openLab(number) {
  state.lab = number;
  state.exercise = '';
  state.scene = null;
  $('own').checked = false;
  keep('lab', number);
  $('results').replaceChildren();
  showAll();
  showPictures();
  if (state.compared.own) compare(); // it was another lab's loop
}

async function chooseLanguage() {
  state.language = state.language === 'en' ? 'es' : 'en';
  keep('language', state.language);
  await loadContent();
  $('results').replaceChildren();
  state.scene = null;
  showAll();
  showPictures();
  if (state.pythonIs[0] === 'ready') compare(); // its sentences, in the other language
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
  state.editor.show(await file.text());
  keep(`file.${state.lab}`, state.editor.text);
  input.value = '';
}

function wire() {
  $('run').onclick = run;
  $('check').onclick = () => check(exercise().id);
  $('check-all').onclick = () => check('');
  $('hint').onclick = hint;
  $('stop').onclick = () => { state.python.stop(); showNote($('results'), text().stopped); };
  $('download').onclick = () => download(lab().file, state.editor.text);
  $('load').onchange = (event) => loadFile(event.target);
  $('reset').onclick = () => { if (confirm(text().resetAsk)) { keep(`file.${state.lab}`, null); showAll(); } };
  $('own').onchange = compare;
  $('language').onclick = chooseLanguage;
  $('theme').onclick = chooseTheme;
  let resized;
  addEventListener('resize', () => { clearTimeout(resized); resized = setTimeout(showPictures, 150); });
}

start();
