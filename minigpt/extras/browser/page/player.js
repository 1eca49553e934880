// A lab's hand-worked scene, step by step: a slider, a play button, and what each step does.

import { element } from './svg.js';
import { key, mostWaiting, timeline } from './timeline.js';

const INTERVAL_MS = 700;

export class Player {
  #timer = null; #run; #text; #place; #title; #number = 0;

  /** Show a run (what `stepped` gives) in `place`, from its last step. */
  show(place, run, text, title = '') {
    this.pause();
    [this.#place, this.#run, this.#text, this.#title] = [place, run, text, title];
    this.#number = run.steps.length;
    this.#input = element('input', { type: 'range', min: 0, max: run.steps.length, step: 1, 'aria-label': text.step, oninput: () => {
      this.pause();
      this.#go(Number(this.#input.value));
    } });
    this.#button = element('button', { type: 'button', onclick: () => (this.#timer ? this.pause() : this.#play()) }, text.play);
    this.#caption = element('p', { class: 'step', 'aria-live': 'polite' });
    this.#figure = element('figure', {});
    place.replaceChildren(element('div', { class: 'player' }, this.#button, this.#input), this.#caption, this.#figure, key(text));
    this.#go(this.#number);
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = null;
    if (this.#button) this.#button.textContent = this.#text.play;
  }

  #input; #button; #caption; #figure;

  #play() {
    if (this.#number >= this.#run.steps.length) this.#go(0);
    this.#button.textContent = this.#text.pause;
    this.#timer = setInterval(() => {
      if (this.#number < this.#run.steps.length) this.#go(this.#number + 1);
      else this.pause();
    }, INTERVAL_MS);
  }

  #go(number) {
    this.#number = number;
    const steps = this.#run.steps, [ms, words] = number ? steps[number - 1] : [0, ''];
    const count = `${this.#text.step} ${number} ${this.#text.of} ${steps.length}`;
    this.#input.value = number;
    this.#input.setAttribute('aria-valuetext', words ? `${count}: ${words}` : count);
    this.#caption.replaceChildren(element('strong', {}, count), words ? `: ${words}` : '');
    this.#figure.replaceChildren(timeline(this.#run, this.#text, {
      width: Math.max(300, this.#place.clientWidth), title: this.#title, now: ms, endMs: this.#run.end_ms, most: mostWaiting(this.#run),
    }));
  }
}
