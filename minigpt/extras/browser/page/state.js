// What the page is at: lab, exercise, language, sliders; and short ways to what belongs to it.

import { kept } from './store.js';
import { TEXTS } from './texts.js';

export const $ = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.hash.slice(1)); // #lab=03&lang=es&exercise=3.2, to link to

export const state = {
  language: asked.get('lang') ?? kept('language', navigator.language?.startsWith('es') ? 'es' : 'en'),
  theme: kept('theme', matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'),
  lab: asked.get('lab') ?? kept('lab', '02'), exercise: asked.get('exercise') ?? '',
  settings: { load: 0.7, spread: 4, cap: 8, max_wait_ms: 5 },
  hints: {}, content: {}, compared: null, scene: null, // what Python last said of the two servers, and of the lab's own picture
  python: null, editor: null, pythonIs: ['loading', ''],
};
if (!(state.language in TEXTS)) state.language = 'en';

export const text = () => TEXTS[state.language];
export const content = () => state.content[state.language];
export const lab = () => content().labs[state.lab];
export const exercise = () => lab().exercises.find((each) => each.id === state.exercise) ?? lab().exercises[0];
export const loopName = () => `${lab().policy}_batch_loop`;
export const isCompared = () => ['static', 'continuous'].includes(lab().policy); // its loop is one of the two servers'

export async function loadContent() {
  state.content[state.language] ??= await (await fetch(`texts.${state.language}.json`)).json();
}
